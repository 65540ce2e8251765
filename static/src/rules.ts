/** What each class of integrity finding is about: the rule it speaks of, in one sentence. */

const RULES: Record<string, string> = {
  torch_compute: "a launcher allocates and launches; computing is the kernel's work, not torch's.",
  tensor_operator: "no operators on tensors outside pattern and replacement_args; compute in a kernel.",
  compile_delegation: "no other compiler does the work: no torch.compile, no scripting, no inline extensions.",
  hidden_helper: "helper files keep the same rules as the passes.",
  dynamic_import: "modules are imported by name with an import statement, so that everybody can see which.",
  dynamic_code: "no code made from text: no exec, eval, compile, or attributes looked up by a computed name.",
  unpickle: "no unpickling: it can run anything.",
  raw_memory: "memory is reached through tensors and Triton pointers only.",
  guard_detection: "a pass behaves the same whether or not it is being watched.",
  phase_detection: "a pass behaves the same in warm-up, in verified and in timed calls.",
  output_cache: "nothing that was computed from input values is kept between calls; tables made from shapes and constants may be.",
  leftover_memory: "every element of an output is written; what memory held before is not an answer.",
  monkeypatch: "nothing outside the pass is changed: no attributes of torch, Triton or the interpreter.",
  unsynced_stream: "the work is done when the call returns and the device is synchronised: no streams of one's own.",
  background_thread: "no threads or processes go on after a call.",
  tensor_subclass: "outputs are plain tensors.",
  forged_output: "what is printed is text; results come from outputs alone.",
  early_exit: "a pass does not end the process.",
  exit_hook: "nothing is registered to run at exit.",
  reference_search: "a pass does not look for the reference, in frames, in the garbage collector or elsewhere.",
  input_mutation: "inputs stay as they were, unless the graph changes them.",
  output_alias: "an output shares memory with an input only where the graph's does.",
  file_access: "a pass reads and writes no files but its own modules.",
  network: "a pass does not use the network.",
  subprocess: "a pass starts no programs.",
  resource: "time, memory and output stay within the limits.",
  baseline_tampering: "eager is as fast after loading a pass as before.",
  shape_overfit: "a pass should handle other shapes than the listed ones. A remark; the score does not change.",
  value_overfit: "a pass should be right for other values too. A remark; the score does not change.",
  impossible_speed: "a time below what the touched bytes allow deserves a look. A remark, no accusation.",
};

export function ruleOf(kind: string): string | null {
  return Object.hasOwn(RULES, kind) ? RULES[kind]! : null;
}
