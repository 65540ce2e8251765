import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";

/** The open font licence asks to travel with the font files. */
function fontLicence(): Plugin {
  return {
    name: "font-licence",
    generateBundle() {
      const source = readFileSync("node_modules/@fontsource/jetbrains-mono/LICENSE", "utf8");
      this.emitFile({ type: "asset", fileName: "assets/jetbrains-mono-LICENSE.txt", source });
    },
  };
}

export default defineConfig({
  base: "/static/dist/",
  publicDir: false,
  plugins: [fontLicence()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  worker: { format: "es" },
  build: {
    outDir: "static/dist",
    emptyOutDir: true,
    manifest: "manifest.json", // read by django-vite
    target: "es2022",
    assetsInlineLimit: 0, // fonts and icons stay files: the content security policy allows data: for images only
    chunkSizeWarningLimit: 4000, // Monaco is one chunk, loaded after the page is drawn
    rollupOptions: {
      input: ["static/src/catalogue.tsx", "static/src/workbench.tsx", "static/src/graphpage.tsx", "static/src/slower.tsx", "static/src/boards.ts", "static/src/compare.tsx", "static/src/review.tsx", "static/src/report.ts", "static/src/upload.tsx"],
    },
  },
  test: {
    include: ["static/src/**/*.test.ts"],
    environment: "node",
    isolate: false, // no test file leaves anything behind, and a process for each of them costs more than its tests
  },
});
