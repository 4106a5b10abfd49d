/** A client that we did not write asks its user, in tools, prompts and resources; and what the build says of the questions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import t from 'tap'
import { readDocument } from '../../cli/emit/read-document.ts'
import { freePort } from '../../support/free-port.ts'
import { openGuarded } from '../support/guarded.ts'
import { buildRefunds } from './refunds.ts'

t.setTimeout(240_000) // a busy machine

const { bundle, folder } = await buildRefunds()

t.test('the v2 client of the SDK answers questions by its own, round after round', async (t) => {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const { app } = await openGuarded(t, bundle, { baseUrl, isOn: false })
  await app.application.server.listen({ port, host: 'localhost' })
  const capabilities = { elicitation: { form: {}, url: {} } }
  const client = new Client(
    { name: 'asker', version: '1' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  )
  const shown: string[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    shown.push(params.message)
    const isContact = params.message.startsWith('Whom')
    const content = isContact ? { mail: 'a@b.example', stars: 1, nick: 'Ada' } : { sure: true }
    return params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content }
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`)))
  const { structuredContent } = await client.callTool({ name: 'refunds_rounds', arguments: {} })
  t.match(structuredContent, { consent: { sure: true }, contact: { nick: 'Ada' }, round: 2 })
  const whole = await client.callTool({ name: 'refunds_whole', arguments: { order: { product: 'tea' } } })
  t.match(whole.structuredContent, { order: { product: 'tea' }, consent: { sure: true } })
  const { messages } = await client.getPrompt({ name: 'refunds_letter', arguments: { buyer: 'Bob' } })
  t.match(messages, [{ content: { text: 'To Bob: true' } }])
  const { contents } = await client.readResource({ uri: 'refunds://7' })
  t.match(contents, [{ text: '{"id":7,"sure":true}' }])
  t.match(await client.callTool({ name: 'refunds_bank', arguments: {} }), {
    content: [{ text: '"back from the bank"' }],
  })
  t.strictSame(shown, ['Sure?', 'Whom to tell?', 'Sure?', 'Write to Bob?', 'Show 7?', 'Sign in'])
  await client.close()
})

t.test('the documents show the parameter and the 422, where the shipped base answers it', async (t) => {
  const read = (name: string): string => readFileSync(join(folder, 'generated', name), 'utf8')
  const { paths } = readDocument(read('openapi.yml'))
  const [parameters, { '422': refused }] = [
    paths['/refunds/{id}'].get.parameters,
    paths['/refunds'].post.responses,
  ]
  t.match(parameters[1], {
    name: 'consent',
    in: 'query',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Consent' } } },
  })
  t.match(refused.description, /An answer of the user is needed: send the same request with consent\.$/)
  t.match(refused.content['application/json'].schema.anyOf[1].properties, {
    questions: { additionalProperties: { properties: { message: {}, schema: {}, url: {} } } },
  })
  t.notOk(paths['/bare'].post.responses['422'])
  t.notOk(paths['/refunds/account'].post.responses['422'])
  const requested =
    /consent: \{ in: field, type: Consent, description: "what the buyer says\. The user is asked for it: leave it out/
  t.match(read('mcp.yml'), requested)
  t.equal(read('routes.ts').match(/questions: \{/g)?.length, 7, 'routes that ask, and no others')
})
