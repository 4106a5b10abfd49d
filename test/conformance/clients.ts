/** `npm run conformance:clients`: clients that no one here wrote. The MCP Inspector lints the lists of the example and of the
 *  fixture application, calls tools, and uses prompts and resources in both eras; its `mcpdo` and the SDK's clients, version 1 and version 2 in both eras, sign
 *  in by themselves. Exit code 1 when one of them fails. */
import { answerOf, type ClientKind, clientKinds, signedIn } from '../flow/client-kinds.ts'
import { allowInBrowser, authorizationRequest, Browser, redirectUri, serveExample } from '../flow/support.ts'
import { serveFixture } from './fixture.ts'
import { installSuite, type Ran } from './suite.ts'

const suite = installSuite()
const eras = ['legacy', 'modern'] as const
let failures = 0

/** What is asked for beside tools, and what must stand in the answer. */
const offered: readonly (readonly [method: string, args: readonly string[], answer: string])[] = [
  ['prompts/list', [], 'test_prompt_with_arguments'],
  [
    'prompts/get',
    ['--prompt-name', 'test_prompt_with_arguments', '--prompt-args', 'arg1=one', 'arg2=two'],
    "arg1='one', arg2='two'",
  ],
  ['resources/list', [], 'test://static-text'],
  ['resources/templates/list', [], 'test://template/{id}/data'],
  ['resources/read', ['--uri', 'test://template/7/data'], 'Data for ID: 7'],
]
const completed = [
  ...['--complete-ref-type', 'ref/prompt', '--complete-ref', 'test_prompt_with_arguments'],
  ...['--complete-arg-name', 'arg1', '--complete-arg-value', 'testValue2'],
]

const fixture = await serveFixture()
for (const era of eras) {
  const target = [fixture.url, '--transport', 'http', '--protocol-era', era]
  expect(`inspector, fixture, ${era}: tools/list --strict`, await lint(target), isClean)
  const args = ['--tool-name', 'test_mirrored_header', '--tool-arg', 'tenant=Zoë']
  const called = await suite.inspector('mcp-inspector', [
    '--cli',
    ...target,
    '--method',
    'tools/call',
    ...args,
  ])
  expect(`inspector, fixture, ${era}: tools/call`, called, ({ stdout }) => stdout.includes('Hello Zoë'))
}
try {
  for (const era of eras) await useOffered(era)
} finally {
  await suite.inspector('mcpdo', ['daemon', 'stop'])
}
await fixture.application.close()

const example = await serveExample()
const endpoint = `${example.baseUrl}/mcp`
const authorization = `Authorization: Bearer ${await accessToken(example.baseUrl)}`
for (const era of eras) {
  for (const address of [endpoint, `${endpoint}?toolboxes=all`]) {
    const target = [address, '--transport', 'http', '--protocol-era', era, '--header', authorization]
    const path = address.slice(example.baseUrl.length)
    expect(`inspector, example, ${era}: tools/list --strict of ${path}`, await lint(target), isClean)
  }
}
for (const kind of clientKinds) await callWithSdk(kind)
try {
  for (const era of eras) await signInWithMcpdo(era)
} finally {
  await suite.inspector('mcpdo', ['daemon', 'stop'])
}
await example.application.close()
process.stdout.write(failures === 0 ? 'every client was served\n' : `${failures} failed\n`)
process.exitCode = failures === 0 ? 0 : 1

function lint(target: readonly string[]): Promise<Ran> {
  return suite.inspector('mcp-inspector', ['--cli', ...target, '--method', 'tools/list', '--strict'])
}

/** The Inspector and `mcpdo` list and use prompts and resources; `mcpdo` alone completes arguments. */
async function useOffered(era: 'legacy' | 'modern'): Promise<void> {
  const target = ['--cli', fixture.url, '--transport', 'http', '--protocol-era', era, '--method']
  for (const [method, args, answer] of offered) {
    const ran = await suite.inspector('mcp-inspector', [...target, method, ...args])
    expect(`inspector, fixture, ${era}: ${method}`, ran, ({ stdout }) => stdout.includes(answer))
  }
  const connect = ['--format', 'json', 'connect', fixture.url, '--era', era, '--transport', 'http']
  expect(`mcpdo, fixture, ${era}: connect`, await suite.inspector('mcpdo', connect), () => true)
  const all = [...offered, ['prompts/complete', completed, 'testValue2'] as const]
  for (const [method, args, answer] of all) {
    const requested = ['--format', 'json', '--connection', fixture.url, method, ...args]
    const ran = await suite.inspector('mcpdo', requested)
    expect(`mcpdo, fixture, ${era}: ${method}`, ran, ({ stdout }) => stdout.includes(answer))
  }
  await suite.inspector('mcpdo', ['disconnect', fixture.url])
}

/** The linter prints what it minds to the error stream. */
function isClean({ stdout, stderr }: Ran): boolean {
  return JSON.parse(stdout).tools.length > 0 && !/warn|error/i.test(stderr)
}

/** Connects, signs in where it says, calls a tool behind the sign-in, and forgets the sign-in again. */
async function signInWithMcpdo(era: 'legacy' | 'modern'): Promise<void> {
  const connect = ['--format', 'json', 'connect', endpoint, '--era', era, '--transport', 'http']
  const pending = await suite.inspector('mcpdo', connect)
  expect(
    `mcpdo, example, ${era}: connect asks to sign in`,
    pending,
    ({ stdout }) => JSON.parse(stdout).pendingAuth,
  )
  const address = new URL(JSON.parse(pending.stdout).authUrl)
  const callback = address.searchParams.get('redirect_uri') ?? ''
  await fetch(await allowInBrowser(new Browser(), address, callback))
  const call = ['--format', 'json', '--connection', endpoint, 'tools/call', 'users_current']
  const called = await suite.inspector('mcpdo', call)
  expect(`mcpdo, example, ${era}: tools/call after the sign-in`, called, ({ stdout }) => /dev:/.test(stdout))
  await suite.inspector('mcpdo', ['disconnect', endpoint])
  await suite.inspector('mcpdo', ['auth/clear', endpoint])
}

/** Signs in, lists, and calls a tool behind the sign-in, directly and through a proxy. */
async function callWithSdk(kind: ClientKind): Promise<void> {
  const { client } = await signedIn(kind, example.baseUrl)
  const { tools } = await client.listTools()
  const direct = await client.callTool({ name: 'users_current', arguments: {} })
  const proxied = await client.callTool({ name: 'call_read_only', arguments: { name: 'users_current' } })
  await client.close()
  const answers = [direct, proxied].map((answer) => JSON.stringify(answerOf(answer)))
  const isListed = ['users_current', 'find_tools', 'call_tool'].every((name) =>
    tools.some((tool) => tool.name === name),
  )
  const isRight = isListed && answers.every((text) => /"dev:/.test(text) && text === answers[0])
  const ran = { code: isRight ? 0 : 1, stdout: answers.join('\n'), stderr: '' }
  expect(`SDK, ${kind.name}, example: sign-in, tools/list, tools/call`, ran, () => isRight)
}

async function accessToken(baseUrl: string): Promise<string> {
  const { url, clientId, verifier } = await authorizationRequest(baseUrl)
  const code = (await allowInBrowser(new Browser(), url)).searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri }
  const body = new URLSearchParams({ ...grant, code, code_verifier: verifier })
  const answer = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body })
  return String((await answer.json()).access_token)
}

function expect(what: string, ran: Ran, isRight: (ran: Ran) => unknown): void {
  const isPassed = ran.code === 0 && Boolean(isRight(ran))
  process.stdout.write(`${isPassed ? 'pass' : 'FAIL'} ${what}\n`)
  if (isPassed) return
  failures += 1
  process.stdout.write(`     exit code ${ran.code}\n${ran.stdout}\n${ran.stderr}\n`)
}
