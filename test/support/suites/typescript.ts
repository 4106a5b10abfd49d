/** What `import ts from 'typescript'` gives suites. Loaded by `require`: an `import` would first search nine megabytes for the names of
 *  exports. */
import { createRequire } from 'node:module'

const ts: typeof import('typescript') = createRequire(import.meta.url)('typescript')

// biome-ignore lint/style/noDefaultExport: as TypeScript is imported
export default ts
