/** One thing that can be done, as the palette lists it. */

export interface Command {
  id: string;
  title: string;
  group: "Run" | "Results" | "Graph" | "Files" | "View" | "Go to" | "Catalogue";
  /** "mod+enter"; keys without a modifier work outside text fields only. */
  keys?: string;
  enabled?: () => boolean;
  run(): void;
}

export function possible(commands: readonly Command[]): Command[] {
  return commands.filter((command) => command.enabled?.() ?? true);
}
