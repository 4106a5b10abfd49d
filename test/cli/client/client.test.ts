/** The printed client as a text: byte by byte, under TypeScript's strictest settings, and for who uses it.
 *  `ACMCP_UPDATE_GOLDEN=1` writes it anew. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { diskHost } from '../../../cli/build/disk.ts'
import { emitClient } from '../../../cli/capabilities/client/client.ts'
import { clientTransport } from '../../../cli/capabilities/client/client-transport.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { anysIn, errorsOf, loosest, places, programOf } from './client-types.ts'
import { applicationFolder, golden, wholeClient } from './served-client.ts'

t.setTimeout(240_000)

const root = applicationFolder(t, null)

/** `generated/client.ts` of an application, and where it is committed. */
const clients = [
  ['the fixture', root, `${golden}/generated/client.ts`],
  ['the example', process.cwd(), `${golden}/example/client.ts`],
] as const

for (const [name, folder, committed] of clients) {
  t.test(`client: the client of ${name} is the one that is committed, byte by byte`, async (t) => {
    const { model, diagnostics } = compile(diskHost(folder))
    t.strictSame(
      diagnostics.filter(({ severity }) => severity === 'error'),
      [],
    )
    const text = emitClient(model, clientTransport())
    const own = text.slice(0, -clientTransport().length)
    if (process.env.ACMCP_UPDATE_GOLDEN === '1') writeFileSync(committed, own)
    t.equal(text, wholeClient(committed))
    t.equal(/^import|\bany\b(?= *[;,)\]>|=]| *$)/m.exec(text), null, 'it imports nothing')
    writeFileSync(join(root, committed.slice(golden.length + 1)), text)
  })
}

for (const place of ['browser', 'node'] as const) {
  t.test(`client: it type-checks, and so does its use, with ${places[place].lib}`, async (t) => {
    const files = ['uses.ts', 'generated/client.ts', 'example/client.ts'].map((file) => join(root, file))
    const program = programOf(place, files)
    t.equal(errorsOf(program), '')
    for (const file of files.slice(1))
      t.strictSame(anysIn(program, file), [], 'nothing that is exported is any')
  })
}

t.test('client: it type-checks where nothing is strict', async (t) => {
  const files = ['generated/client.ts', 'example/client.ts'].map((file) => join(root, file))
  t.equal(errorsOf(programOf('browser', files, loosest)), '')
})
