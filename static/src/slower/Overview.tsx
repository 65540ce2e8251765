/** Over all graphs that fit: how often each way is slower, how its ratios are spread, and why graphs are slower. */

import { plural, ratio } from "../format";
import { toggled } from "../catalogue/search";
import { chosen, choose } from "./store";
import { Spread } from "./Spread";
import type { Share, SlowerPage } from "./types";
import { NOT_SLOWER, percent, REASONS, way, WAY_KEYS } from "./words";

export function Overview({ found }: { found: SlowerPage }) {
  return (
    <div class="slower-overview">
      <section aria-label="How often it is slower">
        <h2>Slower than eager</h2>
        <table class="slower-shares">
          <thead>
            <tr>
              <th scope="col">by</th>
              <th scope="col" class="number" title="Graphs that were measured this way">graphs</th>
              <th scope="col" class="number" title="The whole 95 % interval lies below 1">slower</th>
              <th scope="col" class="number" title="The median ratio is below 1, whatever its interval">below 1×</th>
              <th scope="col" class="number" title="The whole 95 % interval lies above 1">faster</th>
              <th scope="col" class="number" title="Median of eager / compiler over these graphs">median gain</th>
            </tr>
          </thead>
          <tbody>{found.shares.map((share) => <ShareRow key={share.way} share={share} />)}</tbody>
        </table>
        <Reasons found={found} />
      </section>
      <Spread shares={found.shares} file={`slower-${found.context?.key ?? ""}`} />
    </div>
  );
}

function ShareRow({ share }: { share: Share }) {
  const { name, means } = way(share.way);
  return (
    <tr data-way={share.way}>
      <th scope="row" title={means}><svg class={`key way-${Math.max(0, WAY_KEYS.indexOf(share.way))}`} width="22" height="8" aria-hidden="true"><path d="M0,4H22" /></svg>{name}</th>
      <td class="number">{share.measured.toLocaleString("en-US")}</td>
      <td class="number warn" title={`${share.slower.toLocaleString("en-US")} graphs`}><span aria-hidden="true">▲ </span>{percent(share.slower, share.measured)}</td>
      <td class="number" title={`${share.below_one.toLocaleString("en-US")} graphs`}>{percent(share.below_one, share.measured)}</td>
      <td class="number correct" title={`${share.faster.toLocaleString("en-US")} graphs`}><span aria-hidden="true">● </span>{percent(share.faster, share.measured)}</td>
      <td class="number"><b>{share.median === null ? "–" : ratio(share.median)}</b></td>
    </tr>
  );
}

/** The three reasons told apart, each with its number of graphs; a click narrows the list to one. */
function Reasons({ found }: { found: SlowerPage }) {
  const counts = new Map((found.facets["reason"] ?? []).map(({ value, count }) => [value, count]));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const picked = chosen.value.values.reason;
  return (
    <>
      <h2>Why</h2>
      <ul class="slower-reasons">
        {Object.entries(REASONS).filter(([key]) => key !== NOT_SLOWER).map(([key, reason]) => (
          <li key={key}>
            <button class="reason" aria-pressed={picked.includes(key)} title={picked.includes(key) ? "Show the others, too" : `Only these: ${plural(counts.get(key) ?? 0, "graph")}`} onClick={() => choose({ values: { ...chosen.value.values, reason: toggled(picked, key) } })}>
              <b>{reason.name}</b> <span class="number">{(counts.get(key) ?? 0).toLocaleString("en-US")}</span> <span class="faint number">{percent(counts.get(key) ?? 0, all)}</span>
            </button>
            <span class="faint">{reason.means}</span>
          </li>
        ))}
      </ul>
      <p class="faint">A graph has one reason, told by the innermost way that is slower: kernels, then replay, then the host's clock. Shares are of all graphs that fit the other filters.</p>
    </>
  );
}
