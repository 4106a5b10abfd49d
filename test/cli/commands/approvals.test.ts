/** What `acmcp routes` says of `@approval`. */
import t from 'tap'
import { copiesOfBuilt } from '../support/built-app.ts'
import { acmcpWith } from '../support/shop.ts'

t.setTimeout(240_000)

const config = `import { type AppConfig, defineApp } from 'acmcp'
export const config: AppConfig = defineApp({})
`

const reports = `import { Controller } from 'acmcp'

/** Some reports of a shop. */
export class Reports extends Controller {
  /**
   * Lists reports.
   *
   * @get /
   */
  index(): string[] { return [] }

  /**
   * Sends one.
   *
   * @post /
   * @approval unless=session Send {name}
   * @param name - which one
   */
  send(name: string): void { void name }
}
`

const builtIn = copiesOfBuilt({ 'app/config.ts': config, 'app/controllers/reports.ts': reports })

t.test('approvals: routes have a column of them where some have any', async (t) => {
  const root = await builtIn(t)
  const rows = acmcpWith(root, {}, 'routes').stdout.trimEnd().split('\n')
  t.strictSame(
    rows.map((line) => line.split('\t')).map((row) => [row[0], row[1], row[6]]),
    [
      ['VERB', 'PATH', 'APPROVAL'],
      ['GET', '/reports/', ''],
      ['POST', '/reports/', 'unless=session Send {name}'],
    ],
  )
  const { routes } = JSON.parse(acmcpWith(root, {}, 'routes', '--json').stdout)
  t.strictSame(
    routes.map(({ approval }: Readonly<Record<string, unknown>>) => approval),
    [undefined, { sentence: 'Send {name}', unless: 'session' }],
  )
})
