/** The modules of `browser/` as a page carries them: one script, in the page itself, which its policy allows by its hash. */
import { readFileSync } from 'node:fs'

/** The modules, those that others import first, as one classic script without names in the page, which calls `start`. No two of them declare the same name at their top (`test/pages` runs it). */
export function browserScript(modules: readonly string[], start: string): string {
  const parts = modules.map((name) =>
    bare(readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8')),
  )
  return `(() => {\n'use strict'\n${parts.join('')}${start}()\n})()`
}

/** Without what joins modules: they stand in one scope. */
const bare = (text: string): string =>
  text
    .replace(/^import\b[^;'"]*from\s*['"][^'"]*['"];?\n/gm, '')
    .replace(/^export (?=(async |function |const |class ))/gm, '')
    .replace(/^export \{\};?\n/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*\n?/gm, '')
