/** Removes what was compiled of sources that are gone: commands are found by where their files lie. */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

for (const side of ['cli', 'runtime', 'templates', 'test'])
  if (existsSync(join('dist', side)))
    for (const entry of readdirSync(join('dist', side), { recursive: true, encoding: 'utf8' })) {
      const [, source] = /^(.*)\.(?:js|js\.map|d\.ts)$/.exec(join(side, entry)) ?? []
      if (source !== undefined && !existsSync(`${source}.ts`) && !existsSync(`${source}.js`))
        rmSync(join('dist', side, entry))
    }
