/** An application beside other packages of its repository, as npm and as pnpm install them: built, checked and served. */
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { spawnServe } from '../../../flow/support.ts'
import { freePort } from '../../../support/free-port.ts'
import { built } from '../../support/built-app.ts'
import { typeErrorsOf } from '../../support/type-check.ts'
import { shopIn, textIn } from '../../support/workspaces/shop.ts'

t.setTimeout(240_000) // a busy machine

for (const layout of ['npm', 'pnpm'] as const)
  t.test(
    `${layout}: values, types, errors, schemas, tables and base classes come from TypeScript and JavaScript beside the application`,
    async (t) => {
      const { api } = shopIn(t, layout)
      const { status, stderr } = await built(api, 'strict', 'client')
      t.strictSame({ status, stderr }, { status: 0, stderr: '' })
      if (layout === 'pnpm') t.equal(typeErrorsOf(join(api, 'tsconfig.json')), '')
      t.match((await built(api, 'strict', 'client')).stdout, 'nothing changed')
      t.strictSame(await built(api, 'strict', 'client', 'check'), { status: 0, stdout: '', stderr: '' })
      t.match(textIn(api, 'generated/routes.ts'), "import { Gone, Locked, NewItem } from '@acme/shared'")

      const PORT = String(await freePort())
      const server = await spawnServe(api, { PORT, DATABASE_URL: 'sqlite::memory:' })
      t.teardown(() => server.process.kill('SIGKILL'))
      const ended = once(server.process, 'close')
      t.strictSame(await answersOf(server.baseUrl), answers)
      server.process.kill('SIGTERM')
      t.strictSame(await ended, [0, null])
    },
  )

const answersOf = (baseUrl: string): Promise<readonly unknown[]> =>
  Promise.all(
    requests.map(async ([path, init]) => {
      const response = await fetch(`${baseUrl}${path}`, init)
      return [response.status, await response.json()]
    }),
  )

const adding = (item: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(item),
})

const requests: readonly (readonly [string, RequestInit?])[] = [
  ['/items/greeting'],
  ['/items/greeting', { headers: { 'x-caller': 'nobody' } }],
  ['/items'],
  ['/items', adding({ name: ' ink ' })],
  ['/items', adding({ name: 7 })],
  ['/items', adding({ name: 'i' })],
  ['/items/1/receipt'],
  ['/items/2/receipt'],
  ['/desk'],
]

const short = 'Too small: expected string to have >=2 characters'
const answers = [
  [200, 'hello you'],
  [423, { locked: 'not you' }],
  [200, [{ id: 1, name: 'pen' }]],
  [200, { name: 'ink' }],
  [
    400,
    {
      error: "invalid parameter value for 'name' in the body 'item': expected string, got 7",
      parameter: 'name',
      restriction: 'string',
    },
  ],
  [
    400,
    {
      error: `invalid parameter value for 'name' in the body 'item': ${short}`,
      parameter: 'name',
      restriction: short,
    },
  ],
  [410, { why: 'sold' }],
  [503, { why: 'come back tomorrow' }],
  [200, 'Ann'],
]
