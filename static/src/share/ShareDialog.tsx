/** Making a link to the shown run or to the files in the editor, and ending links that were made before. */

import { useEffect, useRef, useState } from "preact/hooks";
import { Overlay } from "../frame/Overlay";
import { closeDialog } from "../workbench/dialogs";
import { files } from "../workbench/draft";
import { device, shown, stale } from "../workbench/runs";
import { graphName, slug } from "../workbench/session";
import { isFinal } from "../vocabulary";
import type { Share, Shares } from "./api";
import { listShares, makeShare, revokeShare } from "./api";
import "./share.css";

const words = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));

export function ShareDialog() {
  const run = shown.value;
  const info = run?.info ?? null;
  const over = run !== null && info !== null && info.imported?.kind !== "example" && isFinal(run.view.state ?? info.state);
  const [what, setWhat] = useState<"run" | "files">(over && !stale.value ? "run" : "files");
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [all, setAll] = useState<Shares | null>(null);
  const load = (): Promise<void> => listShares(slug.value).then(setAll, (why) => setProblem(words(why)));
  useEffect(() => void load(), []);

  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await act();
      await load();
    } catch (why) {
      setProblem(words(why));
    }
    setBusy(false);
  };
  const make = (): Promise<void> => attempt(async () => {
    const shared = what === "run" && run !== null ? { run: run.id } : { files: files.value, device: device.value };
    const share = await makeShare(slug.value, { ...shared, graph: graphName.value ?? "", public: open });
    setMade(location.origin + share.path);
  });
  const revoke = (share: Share): Promise<void> => attempt(async () => {
    await revokeShare(share.id);
    if (made?.includes(`/s/${share.hint}`)) setMade(null);
  });
  const allowed = all?.public_allowed ?? false;
  return (
    <Overlay label="Share" class="share">
      <h2>Share</h2>
      <fieldset>
        <legend>What</legend>
        <label><input type="radio" name="what" checked={what === "run"} disabled={!over} onChange={() => setWhat("run")} /> The shown run{info !== null && ` of revision ${info.revision_number}`}, with its verdict
          {!over && <span class="faint"> · {run === null ? "no run is shown" : info?.imported?.kind === "example" ? "it ships with the task" : "it has not ended"}</span>}
          {over && stale.value && <span class="faint"> · the editor holds newer files</span>}</label>
        <label><input type="radio" name="what" checked={what === "files"} onChange={() => setWhat("files")} /> The files in the editor, without a verdict</label>
      </fieldset>
      <fieldset>
        <legend>For whom</legend>
        <label><input type="radio" name="who" checked={!open} onChange={() => setOpen(false)} /> People with an account here who have the link</label>
        <label><input type="radio" name="who" checked={open} disabled={!allowed} onChange={() => setOpen(true)} /> Anybody with the link, without login
          {all !== null && !allowed && <span class="faint"> · this workbench does not allow it</span>}</label>
      </fieldset>
      <p class="faint">Files, graphs, device and versions stay as they are now. Whoever sees the page can copy the files to a draft of their own.</p>
      {problem !== null && <p class="fail" role="alert"><span aria-hidden="true">■ </span>{problem}</p>}
      {made !== null && <Made link={made} />}
      <footer>
        <button class="plain" onClick={closeDialog}>Close</button>
        <button class="primary" data-autofocus disabled={busy || all === null} onClick={() => void make()}>{made === null ? "Make a link" : "Make another link"}</button>
      </footer>
      {all !== null && all.shares.length > 0 && (
        <section aria-label="Your shares of this task">
          <h3>Your shares of this task</h3>
          <ul class="share-list">
            {all.shares.map((share) => (
              <li key={share.id} class={share.revoked_at === null ? "" : "over"}>
                <code title="The link's first characters; the rest is not stored">/s/{share.hint}…</code>
                <span title={share.title}>{share.title.slice(Math.max(0, share.title.lastIndexOf("revision")))}, {share.run === null ? "files" : "with its run"}</span>
                <span class="faint">{share.visible_to === "anybody" ? "anybody" : "accounts"} · {share.created_at.slice(0, 16).replace("T", " ")}</span>
                {share.revoked_at === null
                  ? <button class="link" disabled={busy} aria-label={`Revoke ${share.hint}`} onClick={() => void revoke(share)}>Revoke</button>
                  : <span class="faint">revoked</span>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </Overlay>
  );
}

function Made({ link }: { link: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  useEffect(() => setCopied(false), [link]);
  const copy = async (): Promise<void> => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(link); // missing over plain HTTP: the text is selected for Ctrl-C
      setCopied(true);
    } catch {
      setCopied(false);
    }
  };
  return (
    <div class="share-made" role="status">
      <label>The link, shown this once: <input ref={field} type="text" readOnly value={link} onFocus={(event) => event.currentTarget.select()} /></label>
      <button class="plain" onClick={() => void copy()}>{copied ? "Copied" : "Copy"}</button>
    </div>
  );
}
