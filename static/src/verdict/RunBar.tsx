/** Run, on which device, cancel; and whether this page still hears the server. */

import type { Device } from "../api";
import { keyLabel } from "../lib/keys";
import { silentSince } from "../lib/reach";
import { active, cancelRun, chooseDevice, device, devices, shown, starting, startRun } from "../workbench/runs";
import { draft } from "../workbench/draft";

const GLYPH: Record<Device["status"], string> = { ready: "●", warming: "◐", busy: "◐", offline: "■" };

export function RunBar() {
  return (
    <div class="run-bar">
      <DevicePicker />
      <span class="spring" />
      <ConnectionBadge />
      {active.value && <button class="plain" onClick={() => void cancelRun()}>Cancel</button>}
      <button class="primary run-button" title={`Judge this pass on every graph  ${keyLabel("mod+enter")}`} disabled={active.value || starting.value || draft.value.status !== "ready"} onClick={() => void startRun()}>
        {active.value || starting.value ? "Running" : <><span aria-hidden="true">▶ </span>Run</>} <kbd>{keyLabel("mod+enter")}</kbd>
      </button>
    </div>
  );
}

function state(entry: Device): string {
  if (entry.queued > 0) return `${entry.status}, ${entry.queued} queued`;
  return entry.status;
}

function DevicePicker() {
  const all = devices.value;
  const current = all?.find((entry) => entry.device === device.value);
  return (
    <span class="device">
      <label>
        <span class="visually-hidden">Device</span>
        <select value={device.value} onChange={(event) => chooseDevice(event.currentTarget.value)}>
          {all === null && <option value={device.value}>{device.value}</option>}
          {all?.map((entry) => <option key={entry.device} value={entry.device}>{entry.label}</option>)}
        </select>
      </label>
      {current?.isolated === false && <span class="tag warn" title={`Submissions are not shut in: ${current.isolation}`}><span aria-hidden="true">▲ </span>not isolated</span>}
      {current !== undefined && silentSince.value !== null && <span class="device-state faint" title="The server does not answer: nobody knows what the device does."><span aria-hidden="true">○ </span>not known</span>}
      {current !== undefined && silentSince.value === null && !active.value && (
        <span class={`device-state ${current.status === "ready" ? "correct" : current.status === "offline" ? "fail" : "warn"}`} title={current.message ?? ""}>
          <span aria-hidden="true">{GLYPH[current.status] ?? "○"} </span>{state(current)}
        </span>
      )}
    </span>
  );
}

function ConnectionBadge() {
  const run = shown.value;
  if (silentSince.value !== null) return null; // the header and the device say so already
  if (run === null || run.connection === "live" || run.connection === "closed") return null;
  const text = { connecting: "connecting", reconnecting: "reconnecting", stale: "stale connection" }[run.connection];
  const tone = run.connection === "connecting" ? "faint" : "warn";
  return (
    <span class={`connection ${tone}`} role="status" title="The log is kept by the server: nothing is lost while this page is cut off.">
      {tone === "warn" && <span aria-hidden="true">▲ </span>}{text}
    </span>
  );
}
