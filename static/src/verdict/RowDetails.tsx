/** Everything known about one graph of a run, told as a story: did it match, is it right, is it faster, why, what next. */

import type { ComponentChildren } from "preact";
import { AskAbout } from "../assistant/AskAbout";
import { Fragment } from "preact";
import { fileName, saveJson } from "../charts/export";
import { clock, element, error, firstT, plural, shape, shortDtype } from "../format";
import { Prose } from "../frame/Prose";
import { showNodes, showsAny } from "../graph/show";
import { tell } from "../lib/hub";
import { copyLink } from "../lib/link";
import { valueOf } from "../lib/load";
import type { OutputReport } from "../events";
import { deviceWords } from "../run/device";
import { placeInMessage } from "../run/locate";
import { toldError } from "../run/errors";
import type { Answer } from "../run/story";
import { fasterAnswer, matchAnswer, nextSteps, rightAnswer, whyAnswer } from "../run/story";
import type { GraphView } from "../run/view";
import { words } from "../vocabulary";
import { files } from "../workbench/draft";
import { shown } from "../workbench/runs";
import { graphs } from "../workbench/session";
import { DiagnosisView } from "./Diagnosis";
import { KernelDiff } from "./KernelDiff";
import { NearMissView } from "./NearMiss";
import { GeneralisationView, ReproductionLink } from "./Beyond";
import { RooflineView } from "./RooflineView";
import { linkRow } from "./rows";
import { Timings } from "./Timings";

export function RowDetails({ graph }: { graph: GraphView }) {
  const nothing = graph.message === null && graph.nearMisses.length === 0 && graph.checks.length === 0 && Object.keys(graph.kernels).length === 0 && graph.timings.length === 0;
  if (nothing) {
    const text = graph.phase === "waiting" ? "Nothing is known about this graph yet. Run the pass (Ctrl Enter)." : graph.phase === "done" ? "Nothing more to say." : "Being judged.";
    return <p class="faint">{text}</p>;
  }
  // A near miss says it better, with both sides and the way to each.
  const { message } = graph;
  const repeated = message !== null && graph.matches === 0 && graph.nearMisses.some((miss) => message.includes(miss.message));
  return (
    <div class="row-details">
      {graph.message !== null && !repeated && <MessageText text={graph.message} />}
      <Chapter title="Did it match?" answer={matchAnswer(graph)}>
        {graph.matches === 0 && graph.nearMisses.map((miss, index) => <NearMissView key={index} graph={graph.name} miss={miss} first={index === 0} />)}
        {graph.notes.map((note) => <p key={note}><span class="faint" aria-hidden="true">○ </span><Prose text={note} /></p>)}
      </Chapter>
      <Chapter title="Is it right?" answer={rightAnswer(graph)}>
        {graph.checks.length > 0 && <Checks graph={graph} />}
        {graph.diagnosis !== null && <DiagnosisView graph={graph.name} diagnosis={graph.diagnosis} outputs={graph.checks.find((check) => check.inputSet === graph.diagnosis!.inputSet)?.outputs ?? []} />}
        {graph.reproduction !== null && <ReproductionLink reproduction={graph.reproduction} />}
        {graph.generalisation !== null && <GeneralisationView generalisation={graph.generalisation} />}
      </Chapter>
      <Chapter title="Is it faster?" answer={fasterAnswer(graph)}>
        {graph.timings.length > 0 && <Timings timings={graph.timings} file={fileName(graph.name)} />}
      </Chapter>
      <Chapter title="Why?" answer={plain(whyAnswer(graph))}>
        {Object.keys(graph.kernels).length > 0 && <KernelDiff graph={graph} />}
        {graph.roofline !== null && <RooflineView graph={graph} roofline={graph.roofline} />}
      </Chapter>
      <Next steps={nextSteps(graph)} />
      <AskAbout graph={graph} />
      {graph.device !== null && <p class="faint" aria-label="Device">{deviceWords(graph.device).join("; ")}</p>}
      <p class="row-foot faint">
        <span>{[graph.compileSeconds === null ? "" : `first call ${clock(graph.compileSeconds)}`, graph.seconds === null || graph.seconds < 0.001 ? "" : `judged in ${clock(graph.seconds)}`, verifiedText(graph)].filter(Boolean).join(" · ")}</span>
        <span class="spring" />
        <button class="link" title="Everything that is known about this graph in this run" onClick={() => saveJson(fileName("run", shown.value?.id ?? "", graph.name), graph)}>JSON</button>
        <button class="link" onClick={() => { linkRow(graph.name); copyLink("this row"); }}>Copy link</button>
      </p>
    </div>
  );
}

const plain = (text: string): Answer | null => (text === "" ? null : { tone: "idle", glyph: "", text });

/** A question with its answer in a sentence, and what it rests on. Left out where there is neither. */
function Chapter({ title, answer, children }: { title: string; answer: Answer | null; children: (ComponentChildren | false)[] | ComponentChildren }) {
  const parts = (Array.isArray(children) ? children.flat() : [children]).filter((part) => part !== false && part !== null && part !== undefined);
  if (answer === null && parts.length === 0) return null;
  return (
    <section class="chapter" aria-label={title}>
      <h3>{title}{answer !== null && <span class={`answer ${answer.tone}`}>{answer.glyph !== "" && <span class="glyph" aria-hidden="true">{answer.glyph} </span>}{answer.text}</span>}</h3>
      {children}
    </section>
  );
}

function Next({ steps }: { steps: readonly string[] }) {
  if (steps.length === 0) return null;
  return (
    <section class="chapter next" aria-label="What next?">
      <h3>What next?</h3>
      <ul>{steps.map((step) => <li key={step}><Prose text={step} /></li>)}</ul>
    </section>
  );
}

function MessageText({ text }: { text: string }) {
  const place = placeInMessage(text, files.value);
  return (
    <div class="graph-message">
      {text.includes("\n") ? <pre>{text}</pre> : <p><Prose text={text} /></p>}
      {place !== null && <button class="link" onClick={() => tell("revealPlace", place)}>{`Go to ${place.file}:${place.line}`}</button>}
    </div>
  );
}

function isBad(output: OutputReport): boolean {
  return output.mismatch !== null || output.first_t === null || output.first_t > -5;
}

function Checks({ graph }: { graph: GraphView }) {
  const worst = graph.checks.flatMap((check) => check.outputs).find((output) => isBad(output) && output.worst.length > 0);
  return (
    <div class="table-scroll"><table class="checks">
      <thead>
        <tr>
          <th scope="col">inputs</th><th scope="col" class="number">output</th><th scope="col">dtype, shape</th><th scope="col" class="number">first t</th>
          <th scope="col" class="number">max abs</th><th scope="col" class="number">max rel</th><th scope="col" class="number" title="Elements that are not equal">differ</th><th scope="col" class="number">range</th>
        </tr>
      </thead>
      <tbody>
        {graph.checks.flatMap(({ inputSet, outputs }) =>
          outputs.flatMap((output) => {
            const key = `${inputSet}/${output.index}`;
            const row = (
              <tr key={key} class={`${isBad(output) ? "bad" : ""}${showsAny(graph.name, nodeOf(graph.name, output.index)) ? " is-selected" : ""}`}>
                <th scope="row">{inputSet}</th>
                <td class="number"><OutputLink graph={graph.name} index={output.index} /></td>
                <td class="mono"><TypeCell output={output} /></td>
                <td class="number">{output.mismatch === null ? firstT(output.first_t) : <span class="fail">■ {words(output.mismatch)}</span>}</td>
                <td class="number">{error(toldError(output.max_abs, output))}</td>
                <td class="number">{error(toldError(output.max_rel, output))}</td>
                <td class="number" title={`${output.differing} of ${output.elements} elements`}>{percent(output)}</td>
                <td class="number faint">{range(output)}</td>
              </tr>
            );
            return output === worst ? [row, <Worst key={`${key}/worst`} output={output} />] : [row];
          }),
        )}
      </tbody>
    </table></div>
  );
}

/** The node that an output is the value of; none while the graph is not loaded, or for an input handed on. */
function nodeOf(graph: string, index: number): readonly string[] {
  const name = valueOf(graphs.value[graph])?.outputs[index];
  return name === undefined ? [] : [name];
}

function OutputLink({ graph, index }: { graph: string; index: number }) {
  const nodes = nodeOf(graph, index);
  if (nodes.length === 0) return <>{index}</>;
  return <button class="link" title={`Show ${nodes[0]} on the graph`} onClick={() => showNodes(graph, nodes)}>{index}</button>;
}

function TypeCell({ output }: { output: OutputReport }) {
  const found = `${shortDtype(output.dtype)} ${shape(output.shape)}`;
  const expected = `${shortDtype(output.expected_dtype)} ${shape(output.expected_shape)}`;
  return found === expected ? <>{found}</> : <><span class="fail">{found}</span> <span class="faint">expected {expected}</span></>;
}

function percent({ differing, elements }: OutputReport): string {
  if (elements === 0 || differing === 0) return "0";
  const part = (100 * differing) / elements;
  return part < 0.1 ? "<0.1 %" : `${part.toFixed(part < 10 ? 1 : 0)} %`;
}

function range({ expected_range: bounds }: OutputReport): string {
  return bounds === null ? "–" : `${element(Number(bounds[0]!.toPrecision(2)))} … ${element(Number(bounds[1]!.toPrecision(2)))}`;
}

function Worst({ output }: { output: OutputReport }) {
  return (
    <tr class="worst">
      <td class="faint">worst elements</td>
      <td colSpan={7}>
        <div class="worst-grid mono">
          <span class="faint">index</span><span class="faint">expected</span><span class="faint">found</span>
          {output.worst.map(({ index, expected, found }) => (
            <Fragment key={index.join()}><span class="faint">[{index.join(",")}]</span><span>{element(expected)}</span><span class="fail">{element(found)}</span></Fragment>
          ))}
        </div>
      </td>
    </tr>
  );
}

function verifiedText({ verified }: GraphView): string {
  if (verified === null || verified.calls === 0) return "";
  return verified.wrong === 0 ? `outputs of ${plural(verified.calls, "timed call")} verified` : `${verified.wrong} of ${plural(verified.calls, "timed call")} gave wrong outputs`;
}
