/** What the pages give operators to copy is tried by the programs that read it, and its numbers fit those of the server. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { resolveConfig } from '../../runtime/boot/resolve-config.ts'
import { prometheusName } from '../../runtime/capabilities/telemetry/metrics/exposition.ts'
import { temporaryFolder } from '../flow/support.ts'
import { allMetrics } from '../telemetry/all-metrics.ts'
import { blocksOf, blockWith } from './pages.ts'

const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0

/** How long an end takes at most, in seconds: pages, Operating, Signals. */
const endSeconds = 10

const units = blocksOf('ini').filter(({ text }) => text.includes('[Service]'))
const settingOf = (unit: string, name: string): string | null =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]?.trim() ?? null

t.test('systemd waits longer for the end of a server than that takes', async (t) => {
  t.equal(units.length, 2)
  for (const { text, at } of units) {
    const delay = Number(/SHUTDOWN_DELAY_SECONDS=(\d+)/.exec(text)?.[1] ?? 0)
    t.ok(Number(settingOf(text, 'TimeoutStopSec')) > endSeconds + delay, at)
  }
})

if (isThere('systemd-analyze')) {
  t.test('systemd takes every unit of the pages', async (t) => {
    for (const { text, at } of units) {
      const folder = temporaryFolder()
      const program = join(folder, 'bin/acmcp')
      mkdirSync(join(folder, 'bin'))
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
      const name = /^# \/etc\/systemd\/system\/(\S+)$/m.exec(text)?.[1]?.replace('@.', '@3000.') ?? ''
      writeFileSync(join(folder, name), text.replaceAll('/srv/shop/node_modules/.bin/acmcp', program))
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], {
        encoding: 'utf8',
      })
      t.strictSame([status, stderr.split('\n').filter((line) => line.includes(name))], [0, []], at)
    }
  })
} else {
  t.comment('systemd is not installed: the units are read, not verified')
}

t.test('the numbers of the Deployment belong together', async (t) => {
  const { spec } = parse(blockWith('yaml', 'instances', 'kind: Deployment'))
  const pod = spec.template.spec
  const [{ env, readinessProbe, livenessProbe, ports }] = pod.containers
  const delay = Number(env.find(({ name }: { name: string }) => name === 'SHUTDOWN_DELAY_SECONDS').value)
  t.ok(pod.terminationGracePeriodSeconds >= delay + endSeconds)
  const noticed =
    readinessProbe.periodSeconds * readinessProbe.failureThreshold + readinessProbe.timeoutSeconds
  t.ok(delay > noticed, 'the port is open until the balancer knows')
  t.ok(livenessProbe.periodSeconds * livenessProbe.failureThreshold >= 30)
  t.strictSame(
    [readinessProbe.httpGet, livenessProbe.httpGet],
    [
      { path: '/readyz', port: ports[0].containerPort },
      { path: '/livez', port: ports[0].containerPort },
    ],
  )
  t.strictSame(spec.strategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 })
})

t.test('the numbers of nginx belong to those of the server', async (t) => {
  const { limits } = resolveConfig({})
  for (const { text, at } of blocksOf('nginx')) {
    const seconds = Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1])
    t.ok(seconds > (limits.toolCallSeconds ?? 0), at)
    const megabytes = Number(/client_max_body_size (\d+)m;/.exec(text)?.[1])
    t.ok(megabytes * 1024 * 1024 > limits.fileBytes, at)
  }
  const several = blockWith('nginx', 'instances', 'max_fails=0')
  t.ok(Number(/keepalive_timeout (\d+)ms;/.exec(several)?.[1]) < 1000, 'the grace of idle connections')
  const page = readFileSync('templates/docs/instances.md', 'utf8')
  t.match(page, `\`keepAliveSeconds\`, ${limits.keepAliveSeconds}`)
  t.match(page, `\`limits.toolCallSeconds\`, ${limits.toolCallSeconds}`)
})

const alerts = 'templates/docs/prometheus-alerts.yml'

if (isThere('promtool')) {
  t.test('promtool takes the alerts, and what is played to them raises those that it should', async (t) => {
    const check = spawnSync('promtool', ['check', 'rules', alerts], { encoding: 'utf8' })
    t.equal(check.status, 0, check.stderr)
    const file = join(temporaryFolder(), 'alerts.test.yml')
    const played = readFileSync('test/operations/prometheus-alerts.test.yml', 'utf8')
    writeFileSync(file, played.replace('[ALERTS]', `[${join(process.cwd(), alerts)}]`))
    const { status, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
    t.equal(status, 0, stderr)
  })
} else {
  t.comment('promtool is not installed: the alerts are read, not tried')
}

t.test('the alerts ask for metrics that the server has, and each is played', async (t) => {
  const { groups } = parse(readFileSync(alerts, 'utf8'))
  const rules: readonly { alert: string; expr: string }[] = groups[0].rules
  const known = new Set(allMetrics.map((definition) => prometheusName(definition)))
  const ofOthers = ['up', 'probe_success']
  for (const { alert, expr } of rules) {
    const names = [...expr.matchAll(/\b([a-z_]\w*)\{/g)].map(([, name = '']) => name)
    t.ok(names.length > 0, alert)
    const odd = names.filter(
      (name) =>
        !ofOthers.includes(name) && !known.has(name.replace(/_(count|bucket|sum)$/, '')) && !known.has(name),
    )
    t.strictSame(odd, [], alert)
  }
  const played = readFileSync('test/operations/prometheus-alerts.test.yml', 'utf8')
  t.strictSame(
    rules.filter(({ alert }) => !played.includes(`alertname: ${alert}\n`)).map(({ alert }) => alert),
    [],
  )
})
