/** `node dist/test/torture/rebuild.torture.js [edits] [seed]`: random edits of an application on disk; each build must
 *  leave the bytes, and say the words, of a build of the same sources in another folder. */
import { walkRebuilds } from '../cli/random/rebuild.ts'

const [edits = 100, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const cleaning: (() => void)[] = []
const wrong = await walkRebuilds({ teardown: (clean) => void cleaning.push(clean) }, edits, seed)
for (const clean of cleaning) clean()
process.stdout.write(`rebuild: seed ${seed}, ${edits} builds, ${wrong.length} wrong ${wrong.join(', ')}\n`)
process.exitCode = wrong.length === 0 ? 0 : 1
