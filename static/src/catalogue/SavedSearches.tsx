/** Saved searches, above the facets: a click or Enter looks again, × deletes, and the search in view gets a name. */

import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SavedSearch } from "../api";
import { canKeep, deleteSearch, keepSearch, searches } from "./searches";

/** Whether the name of the search in view is being asked for. */
export const naming = signal(false);

interface Props {
  /** The address of the search in view; "" when nothing is chosen. */
  address: string;
  /** What the name field proposes. */
  proposal: string;
  onOpen(search: SavedSearch): void;
}

export function SavedSearches({ address, proposal, onOpen }: Props) {
  const kept = searches.value.some((one) => one.address === address);
  const leave = (): void => void (naming.value = false);
  if (canKeep.value === null) return <p class="saved-hint" />;
  if (!canKeep.value) return <p class="faint saved-hint">Log in to keep searches.</p>;
  return (
    <>
      {searches.value.length === 0 && address === "" && <p class="faint saved-hint">Search or filter, then give it a name to have it back in one click.</p>}
      <ul class="saved-list">
        {searches.value.map((one) => (
          <li key={one.id} class={one.address === address ? "current" : ""}>
            <button class="link value" aria-current={one.address === address ? "true" : undefined} title={[...new URLSearchParams(one.address).values()].join(", ")} onClick={() => onOpen(one)}>{one.name}</button>
            <button class="icon" aria-label={`Delete the search ${one.name}`} title="Delete" onClick={() => void deleteSearch(one)}>×</button>
          </li>
        ))}
      </ul>
      {naming.value && address !== "" ? <NameField proposal={proposal} address={address} onDone={leave} /> : address !== "" && !kept && <button class="link" onClick={() => (naming.value = true)}>Save this search</button>}
    </>
  );
}

function NameField({ proposal, address, onDone }: { proposal: string; address: string; onDone: () => void }) {
  const [name, setName] = useState(proposal);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const save = (event: Event): void => {
    event.preventDefault();
    void keepSearch(name, address).then((done) => done && onDone());
  };
  return (
    <form class="saved-name" onSubmit={save}>
      <input ref={field} type="text" maxLength={60} required aria-label="Name of the search" value={name} onInput={(event) => setName(event.currentTarget.value)} onKeyDown={(event) => { if (event.key === "Escape") onDone(); }} />
      <button class="plain" type="submit">Save</button>
    </form>
  );
}
