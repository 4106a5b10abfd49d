/** What `acmcp routes` says of tags of limits. */
import t from 'tap'
import { copiesOfBuilt } from '../support/built-app.ts'
import { acmcpWith } from '../support/shop.ts'

t.setTimeout(240_000)

const config = `import { type AppConfig, defineApp } from 'acmcp'
export const config: AppConfig = defineApp({})
`

const reports = `import { Controller } from 'acmcp'

/**
 * Reports of a team.
 *
 * @limit 60/min
 * @timeout 2min
 */
export class Reports extends Controller {
  /**
   * Lists reports.
   *
   * @get /
   */
  index(): string[] { return [] }

  /**
   * Makes one.
   *
   * @post /
   * @limit none
   * @timeout none
   * @audit strict
   */
  create(): void {}
}

/** Says whether all is well. */
export class Health extends Controller {
  /**
   * Says so.
   *
   * @get /
   */
  show(): string { return 'yes' }
}
`

const builtIn = copiesOfBuilt({ 'app/config.ts': config, 'app/controllers/reports.ts': reports })

t.test('limits: routes have a column of limits where some have any', async (t) => {
  const root = await builtIn(t)
  const { stdout } = acmcpWith(root, {}, 'routes')
  const cells = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  t.strictSame(
    cells.map((row) => [row[0], row[1], row[6]]),
    [
      ['VERB', 'PATH', 'LIMITS'],
      ['GET', '/health/', ''],
      ['GET', '/reports/', 'limit 60/min, timeout 120s'],
      ['POST', '/reports/', 'limit none, timeout none, audit strict'],
    ],
  )
  const { routes } = JSON.parse(acmcpWith(root, {}, 'routes', '--json').stdout)
  const fieldsOf = ({ limit, timeoutSeconds, audit }: Readonly<Record<string, unknown>>): unknown => ({
    limit,
    timeoutSeconds,
    audit,
  })
  t.strictSame(routes.map(fieldsOf), [
    { limit: undefined, timeoutSeconds: undefined, audit: undefined },
    { limit: { calls: 60, windowSeconds: 60 }, timeoutSeconds: 120, audit: undefined },
    { limit: false, timeoutSeconds: false, audit: 'strict' },
  ])
})
