/** `node dist/test/torture/contract.torture.js [rounds] [seed]`: random mutations of random applications, each found with its class
 *  and place, and nothing else; identical builds; values that one of two schemas refuses; each pair of the corpus alone. */
import { aloneInCorpus } from '../cli/contract/alone.ts'
import { differencesOfSame } from '../cli/contract/identical.ts'
import { walkMutations } from '../cli/contract/mutations/walk.ts'
import { refusedUntold } from '../cli/contract/refused.ts'

const [rounds = 2000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const { found, wrong } = walkMutations(rounds, seed)
const counts = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, count]) => `${id} ${count}`)
const { refused, wrong: untold } = refusedUntold(rounds, seed)
const same = differencesOfSame(Math.ceil(rounds / 4), seed)
const alone = aloneInCorpus()
process.stdout.write(
  `contract: seed ${seed}, ${rounds} mutations, ${wrong.length} wrong; ${refused} refused values, ${untold.length} untold; ${Math.ceil(rounds / 4)} applications built twice, ${same.length} differ; ${alone.length} pairs of the corpus wrong alone\n${counts.join(', ')}\n${[...wrong, ...untold, ...same, ...alone].join('\n')}\n`,
)
process.exitCode = wrong.length + untold.length + same.length + alone.length === 0 ? 0 : 1
