/** `npm run conformance:authorization`: the suite's `authorization` mode against the worked example, with a browser
 *  that signs in and allows. Prints what the suite prints; exit code 1 unless every check passes without a warning.
 *  With the argument `plugins` the example has Fastify plugins. */
import { allowInBrowser, Browser, serveExample, temporaryFolder } from '../flow/support.ts'
import { fixturePlugins } from './plugins.ts'
import { checksIn, installSuite } from './suite.ts'

const callback = 'http://127.0.0.1:3777/callback'

const suite = installSuite()
const plugins = process.argv.includes('plugins') ? fixturePlugins : []
const { application, baseUrl } = await serveExample((bundle) => ({
  ...bundle,
  // a plain object, exported by app/config.ts
  config: { ...(bundle.config as object), clientIdMetadataDocuments: true, plugins },
}))
const args = ['authorization', '--url', baseUrl, '--client-id', await registeredClient(), '-p', '3777']
const results = temporaryFolder()
const code = await suite.run([...args, '--resource', `${baseUrl}/mcp`, '-o', results], (line) => {
  process.stdout.write(`${line}\n`)
  const [address] = /https?:\S+\/oauth\/authorize\S+/.exec(line) ?? []
  if (address !== undefined) void signIn(address)
})
await application.close()
const checks = checksIn(results)
for (const { id, status } of checks) process.stdout.write(`${status} ${id}\n`)
const passed = code === 0 && checks.length > 0 && checks.every(({ status }) => status === 'SUCCESS')
process.exitCode = passed ? 0 : 1

async function registeredClient(): Promise<string> {
  const answer = await fetch(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback], client_name: 'conformance' }),
  })
  return String((await answer.json()).client_id)
}

/** Signs in, allows, and delivers the code to the suite's own callback. */
async function signIn(address: string): Promise<void> {
  const landed = await allowInBrowser(new Browser(), new URL(address), callback)
  await fetch(landed)
}
