/** The samples of README.md are TypeScript that compiles against the package as it is. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { typeErrorsOf } from './cli/support/type-check.ts'

const imports = `import { copyFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { Controller, defineApp, NotFound, CommonResponse, type AppPlugin, type Rendered, ServerEvent, type Socket, type UploadedFile } from 'acmcp'
declare class SoldOut extends Error {}
declare const cors: AppPlugin, helmet: AppPlugin
declare function decode(bytes: Uint8Array): unknown
declare function toCsv(rows: unknown): string
declare function ticks(signal: AbortSignal): AsyncIterable<number>
void [SoldOut, copyFile, randomUUID, Controller, defineApp, NotFound, CommonResponse, ServerEvent, cors, helmet, decode, toCsv, ticks]
export type Used = [Rendered, Socket, UploadedFile]
`

/** A sample without imports of its own gets them; members of a class are put into one. */
function program(sample: string): string {
  if (/^import /m.test(sample)) return sample
  return (
    imports + (/^ {2}\/\*\*/.test(sample) ? `export class Sample extends Controller {\n${sample}}\n` : sample)
  )
}

t.test('every TypeScript sample of the README compiles', { timeout: 120_000 }, async (t) => {
  const samples = [...readFileSync('README.md', 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, sample = '']) => sample,
  )
  t.ok(samples.length >= 7)
  const root = mkdtempSync(join(tmpdir(), 'acmcp-readme-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  samples.forEach((sample, index) => {
    mkdirSync(join(root, 'app'), { recursive: true })
    writeFileSync(join(root, `app/sample${index + 1}.ts`), program(sample))
  })
  writeFileSync(join(root, 'package.json'), '{"name":"samples","type":"module"}')
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(process.cwd(), join(root, 'node_modules/acmcp'))
  symlinkSync(join(process.cwd(), 'node_modules/@types'), join(root, 'node_modules/@types'))
  const options = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  }
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['app'] }))
  t.equal(typeErrorsOf(join(root, 'tsconfig.json')), '')
})

t.test('relative links of the README lead into the package, whose page it is too', async (t) => {
  const { files }: { files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'))
  const targets = [...readFileSync('README.md', 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to)
  t.ok(targets.includes('templates/docs/README.md'))
  const lost = targets.filter(
    (to) => !/^https:/.test(to) && !(existsSync(to) && files.some((file) => to.startsWith(`${file}/`))),
  )
  t.strictSame(lost, [])
})
