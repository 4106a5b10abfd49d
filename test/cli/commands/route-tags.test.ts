/** What `acmcp routes` says of `@approval`, and of tags of limits. */
import t from 'tap'
import { copiesOfBuilt } from '../support/built-app.ts'
import { acmcpHere } from '../support/here.ts'

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
   * Sends one.
   *
   * @post /
   * @approval unless=session Send {name}
   * @limit none
   * @timeout none
   * @audit strict
   * @param name - which one
   */
  send(name: string): void { void name }
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

t.test('approvals, limits: routes have a column of them where some have any', async (t) => {
  const root = await builtIn(t)
  const rows = async (...words: readonly string[]): Promise<readonly (readonly string[])[]> => {
    const { stdout } = await acmcpHere(root, {}, 'routes', ...words)
    const lines = stdout.trimEnd().split('\n')
    return lines
      .map((line) => line.split('\t'))
      .map(([verb = '', path = '', ...row]) => [verb, path, ...row.slice(4)])
  }
  t.strictSame(await rows(), [
    ['VERB', 'PATH', 'APPROVAL', 'LIMITS'],
    ['GET', '/health/', '', ''],
    ['GET', '/reports/', '', 'limit 60/min, timeout 120s'],
    ['POST', '/reports/', 'unless=session Send {name}', 'limit none, timeout none, audit strict'],
  ])
  t.strictSame(await rows('#index'), [
    ['VERB', 'PATH', 'LIMITS'],
    ['GET', '/reports/', 'limit 60/min, timeout 120s'],
  ])
  t.strictSame(await rows('/health'), [
    ['VERB', 'PATH'],
    ['GET', '/health/'],
  ])
  const { routes } = JSON.parse((await acmcpHere(root, {}, 'routes', '--json')).stdout)
  const fieldsOf = ({
    approval,
    limit,
    timeoutSeconds,
    audit,
  }: Readonly<Record<string, unknown>>): unknown => [approval, limit, timeoutSeconds, audit]
  t.strictSame(routes.map(fieldsOf), [
    [undefined, undefined, undefined, undefined],
    [undefined, { calls: 60, windowSeconds: 60 }, 120, undefined],
    [{ sentence: 'Send {name}', unless: 'session' }, false, false, 'strict'],
  ])
})
