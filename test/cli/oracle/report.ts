/** `npm run oracle`: prints what the judges say of the corpus; fails when they differ. */
import { describe, disagreements, idleExceptions, judgeCorpus, type Report } from './oracle.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

function summary(report: Report): readonly string[] {
  const { entries, verdicts } = report
  const counted = verdicts.filter(({ sample }) => sample.exception === null)
  const excepted = verdicts.filter(({ sample }) => sample.exception !== null)
  const names = [...new Set(excepted.flatMap(({ sample }) => sample.exception ?? []))].sort()
  return [
    `types          ${entries.length} (${entries.filter(({ refusal }) => refusal !== null).length} of them refused with their path)`,
    `samples        ${verdicts.length} (${counted.filter(({ typescript }) => typescript).length} assignable, ${counted.filter(({ typescript }) => !typescript).length} not)`,
    `refused by tag ${verdicts.filter(({ sample }) => sample.by === 'refused').length}`,
    `exceptions     ${names.length} (${excepted.length} samples): ${names.join(', ')}`,
    `disagreements  ${disagreements(report).length}`,
  ]
}

const report = await judgeCorpus()
const wrong = [
  ...disagreements(report).map(describe),
  ...idleExceptions(report).map((exception) => `idle exception: ${describe(exception)}`),
  ...report.refusals,
  ...report.typeErrors,
]
for (const line of [...wrong, ...summary(report)]) print(line)
process.exitCode = wrong.length === 0 ? 0 : 1
