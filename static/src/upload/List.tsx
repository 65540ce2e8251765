/** What became of each upload: its tasks, or why there are none. */

import { clock, plural, when } from "../format";
import { Message } from "../frame/Message";
import { useNow } from "../lib/now";
import { showLine } from "./Module";
import { isOpen, loadUploads, removeTask, takeText, uploads } from "./store";
import type { Uploaded } from "./types";

const part = encodeURIComponent;

export function List() {
  const now = uploads.value;
  if (now.status === "loading") return <div class="table-skeleton" aria-busy="true" role="status" aria-label="Loading your uploads">{[0, 1, 2].map((row) => <i key={row} />)}</div>;
  if (now.status === "failed") return <Message title="Your uploads could not be loaded" tone="fail" action={{ label: "Try again", run: () => void loadUploads() }}>{now.message}</Message>;
  if (now.value.length === 0) return <p class="faint">Nothing yet. What you bring in is listed here, with the tasks that it became or the reason why it did not.</p>;
  return <ul>{now.value.map((upload) => <Item key={upload.id} upload={upload} />)}</ul>;
}

function Item({ upload }: { upload: Uploaded }) {
  const { state, problem, file, line } = upload;
  return (
    <li data-state={state}>
      <p>
        <State upload={upload} /> <b><bdi>{upload.title}</bdi></b> <span class="faint">{upload.kind}, {when(upload.created_at)}</span>{" "}
        {upload.kind === "module" && <button class="link" onClick={() => void takeText(upload).then(() => line !== null && showLine(line))}>{line === null ? "Show its text" : `Show line ${line}`}</button>}
      </p>
      {problem !== "" && <p class="fail" role={state === "failed" ? "alert" : undefined}>{file !== "" && <code>{file}{line === null ? "" : `:${line}`}: </code>}<span class="upload-problem">{problem}</span></p>}
      {upload.tasks.map((task) => (
        <p key={task.slug} class="upload-task">
          <a class="link" href={`/tasks/${part(task.slug)}/`}><bdi>{task.title}</bdi></a>{" "}
          <button class="icon" aria-label={`Remove the task ${task.title}`} title="Remove this task, while nothing has been handed in for it" onClick={() => void removeTask(task.slug)}>×</button>
        </p>
      ))}
      {upload.known.map((slug) => <p key={slug} class="upload-task"><a class="link" href={`/tasks/${part(slug)}/`}>{slug}</a> <span class="faint">had been here before</span></p>)}
      {upload.said.length > 0 && (
        <details>
          <summary>{plural(upload.said.length, "remark")}</summary>
          <ul>{upload.said.map((one, index) => <li key={index} class="faint">{one}</li>)}</ul>
        </details>
      )}
    </li>
  );
}

function State({ upload }: { upload: Uploaded }) {
  const now = useNow(isOpen(upload));
  if (upload.state === "failed") return <span class="status fail"><span class="glyph" aria-hidden="true">■</span> failed</span>;
  if (upload.state === "done") return <span class="status correct"><span class="glyph" aria-hidden="true">●</span> {upload.tasks.length > 0 ? plural(upload.tasks.length, "task") : upload.known.length > 0 ? "nothing new" : "no task left"}</span>;
  return <span class="status accent" role="status"><span class="glyph" aria-hidden="true">{upload.state === "running" ? "◐" : "○"}</span> {upload.state === "running" ? "being captured" : "queued"} {clock(Math.max(0, (now - Date.parse(upload.created_at)) / 1000))}</span>;
}
