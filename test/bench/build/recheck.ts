/** The floor of a watching build: TypeScript 6 alone makes the next program of the last one after a changed doc comment, and judges
 *  the changed file. Arguments: the application's folder, the file, the number of changes. Prints the median (ms, wall and CPU). */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type ts from 'typescript'

const compiler: typeof ts = createRequire(import.meta.url)('typescript')
const [root = '.', file = '', rounds = '1'] = process.argv.slice(2)
const pauseMs = 100
const path = join(root, file)
const { fileNames: rootNames, options } = compiler.parseJsonConfigFileContent(
  compiler.readConfigFile(join(root, 'tsconfig.json'), compiler.sys.readFile).config,
  compiler.sys,
  root,
)
let text = readFileSync(path, 'utf8')
const parsed = new Map<string, ts.SourceFile | undefined>()
const host = compiler.createCompilerHost(options)
const { getSourceFile, readFile } = host
host.readFile = (name) => (name === path ? text : readFile.call(host, name))
host.getSourceFile = (name, ...rest) => {
  if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, ...rest))
  return parsed.get(name)
}

let program = judged(undefined)
const costs: { readonly wallMs: number; readonly cpuMs: number }[] = []
for (let round = 0; round < Number(rounds); round++) {
  await wait(pauseMs)
  const [start, before] = [performance.now(), process.cpuUsage()]
  text = text.replace('Shows one', 'Shows one more')
  parsed.delete(path)
  program = judged(program)
  const { user, system } = process.cpuUsage(before)
  costs.push({ wallMs: performance.now() - start, cpuMs: (user + system) / 1000 })
}
const median = (field: 'wallMs' | 'cpuMs'): number =>
  costs.map((cost) => cost[field]).sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0
process.stdout.write(JSON.stringify({ wallMs: median('wallMs'), cpuMs: median('cpuMs') }))

function judged(oldProgram: ts.Program | undefined): ts.Program {
  const next = compiler.createProgram(rootNames, options, host, oldProgram)
  const source = next.getSourceFile(path)
  next.getSyntacticDiagnostics(source)
  next.getSemanticDiagnostics(source)
  return next
}
