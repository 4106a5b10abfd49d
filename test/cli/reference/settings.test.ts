/** The example of every setting is TypeScript that `defineApp` takes, and a value that the boot accepts. */
import { join } from 'node:path'
import t from 'tap'
import { settingEntries } from '../../../cli/reference/entries.ts'
import { folderOf, strictSettings, write } from '../support/built-app.ts'
import { typeErrorsOf } from '../support/type-check.ts'

const around = `import { type Access, type AppPlugin, AuthServerError, defineApp } from 'acmcp'
import type { Migration } from 'acmcp/store'
declare const cors: AppPlugin, helmet: AppPlugin
declare const orders: Migration
declare const credentials: { clientId: string; clientSecret: string }
declare function decode(bytes: Uint8Array): unknown
declare function toCsv(rows: unknown): string
declare function verifyAtMyIssuer(token: string): Promise<Access | null>
void [credentials, cors, helmet, orders, decode, toCsv, verifyAtMyIssuer, AuthServerError]
`

t.test(
  'tables of the reference pages: the example of every setting compiles',
  { timeout: 200_000 },
  async (t) => {
    const entries = settingEntries().filter(({ kind }) => kind === 'setting')
    const lines = entries.flatMap(({ samples }) => samples).map(({ text }) => text)
    const root = folderOf(t, {})
    write(
      root,
      'app/config.ts',
      `${around}${lines.map((line, index) => `export const c${index} = ${line}`).join('\n')}\n`,
    )
    write(root, 'tsconfig.json', strictSettings)
    t.equal(typeErrorsOf(join(root, 'tsconfig.json')), '')
    t.equal(lines.length, entries.length)
  },
)
