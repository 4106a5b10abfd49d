/** Every block that pages are made of, on one page: what the next page looks like before it is written. */
import {
  actions,
  badge,
  card,
  codeBlock,
  copyScript,
  dataTable,
  definitionList,
  field,
  linkButton,
  notice,
  submitButton,
  tabs,
} from '../../templates/blocks.ts'
import { html } from '../../templates/html.ts'
import { page, pageScript } from '../../templates/layout.ts'

const command = 'claude mcp add --transport http notes http://localhost:3000/mcp'
const settings = `{
  "mcpServers": {
    "notes": { "type": "http", "url": "http://localhost:3000/mcp", "headers": { "x-a-rather-long-header": "value" } }
  }
}`

export const blocksPage = (): string =>
  page(
    'Blocks',
    html`<p class="lead">What pages are made of.</p>
${card(
  'Connect a client',
  tabs('client', 'Which client do you use?', [
    { label: 'Claude Code', content: codeBlock(command, 'command for Claude Code') },
    { label: 'VS Code', content: codeBlock(settings, 'settings of VS Code') },
    { label: 'curl', content: codeBlock('curl http://localhost:3000/mcp', 'command for curl') },
  ]),
)}${card(
  'What is served',
  html`${definitionList([
    ['Name', 'Notes'],
    null,
    [
      'State',
      html`${badge('signed in', 'good')} ${badge('2 warnings', 'warn')} ${badge('1 mistake', 'bad')} ${badge('GET')}`,
    ],
    ['Address', html`<a href="/mcp">http://localhost:3000/mcp</a>`],
  ])}${dataTable(
    'Tools',
    ['Name', 'Route', 'What it does'],
    [
      [
        html`<code>users_current</code>`,
        'GET /api/users/current',
        'Tells who is signed in: id, name and e-mail address.',
      ],
      [
        html`<code>notes_create</code>`,
        'POST /api/notes',
        'Adds a note and answers with all notes, the new one last.',
      ],
    ],
  )}`,
)}${card(
  'Try a tool',
  html`<form method="post" action="/try">
${field('text', 'text', html`<input id="text" name="text" aria-describedby="text-hint">`, 'the text of the note')}${field(
  'kind',
  'kind',
  html`<select id="kind" name="kind"><option>short</option><option>long</option></select>`,
)}${field('more', 'more', html`<textarea id="more" name="more">{}</textarea>`)}${actions([
  submitButton('Call', 'primary'),
  linkButton('Look at it', '/mcp', 'secondary'),
])}</form>
<details><summary>What a model reads</summary><p>Adds a note.</p></details>`,
)}${card(
  'Notices',
  html`${notice('info', 'To know.', 'Nothing to do.')}${notice('warning', 'To heed.', 'Look at this first.')}${notice('error', 'Refused.', 'The text is missing.')}${notice('success', 'Done.', 'The note was added.')}`,
)}`,
    {
      width: 'wide',
      service: { name: 'Notes', host: 'localhost:3000' },
      script: pageScript(copyScript),
      footer: html`acmcp, development`,
    },
  )
