/** What a build says where there is no application, or none that can be loaded. */
import t from 'tap'
import { acmcp, built, emptyFolder, write } from '../support/built-app.ts'

const elsewhere = `app:1:1 - error ACM101: there is no application in this folder, which is the root of a workspace
  Run it in the folder of the application: \`npm exec -w apps/api -- acmcp build\`, \`pnpm --filter api exec acmcp build\`.
1 error
acmcp explain ACM101 tells more
`

for (const [path, text] of [
  ['package.json', '{"private":true,"workspaces":["apps/*"]}'],
  ['pnpm-workspace.yaml', 'packages: [apps/*]\n'],
] as const)
  t.test(
    `at the root of a workspace of ${path} a build says where to run it, and nothing else`,
    async (t) => {
      const root = emptyFolder(t)
      write(root, path, text)
      for (const flags of [[], ['check']] as const)
        t.strictSame(await built(root, ...flags), { status: 1, stdout: '', stderr: elsewhere })
      for (const args of [['build', '--watch'], ['dev']])
        t.strictSame(
          acmcp(root, ...args),
          { status: 1, stdout: '', stderr: elsewhere },
          `${args.join(' ')} waits for nothing`,
        )
    },
  )

t.test('an empty folder that is no root of a workspace is told what an application has', async (t) => {
  const root = emptyFolder(t)
  write(root, 'package.json', '{"private":true}')
  const { status, stderr } = await built(root)
  t.equal(status, 1)
  t.strictSame(stderr.match(/ACM\d+/g), ['ACM103', 'ACM101', 'ACM107', 'ACM103'])
})
