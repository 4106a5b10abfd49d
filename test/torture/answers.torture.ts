/** `node dist/test/torture/answers.torture.js [answers] [seed]`: random applications whose answers are wider than their types, at
 *  every entrance; nothing undeclared leaves, no secret where none may, and nothing declared is lost. */
import { judgeCanaries } from '../http/output/support/canaries/canaries.ts'

const [wanted = 20_000, first = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const wrong: string[] = []
let [answers, seed] = [0, first]
for (; answers < wanted; seed++) {
  const found = await judgeCanaries({ types: 10, values: 3, seed })
  answers += found.answers
  wrong.push(...found.wrong.map((line) => `seed ${seed}: ${line}`))
}
process.stdout.write(
  `answers: seeds ${first} to ${seed - 1}, ${answers} answers, ${wrong.length} wrong${wrong
    .slice(0, 20)
    .map((line) => `\n${line}`)
    .join('')}\n`,
)
process.exitCode = wrong.length === 0 ? 0 : 1
