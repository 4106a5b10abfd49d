/** The skill of a toolbox in `generated/mcp.yml`: every file of it, word for word as who may call all its tools reads it. */
import type { Controller } from '../../ir/model.ts'
import type { NamedSchema } from '../../ir/schema.ts'
import { skillAddress, skillOf, wholeTextOf } from '../../schema/skills/skill.ts'
import { estimatedTokens } from '../../schema/tools.ts'
import { oneLine } from '../yaml.ts'

/** Nothing where the controller has none. `tokens`: what every conversation pays, what loading it costs, and all of its files. */
export function skillLines(controller: Controller, named: readonly NamedSchema[]): object {
  const skill = skillOf(controller, named)
  if (skill === null) return {}
  const files = skill.files.map((file): [string, string] => [file.path, wholeTextOf(file)])
  const lengths = files.map(([, text]) => text.length)
  const tokens = {
    listed: estimatedTokens(skill.name.length + skill.description.length),
    loaded: estimatedTokens(lengths[0] ?? 0),
    all: estimatedTokens(lengths.reduce((total, length) => total + length, 0)),
  }
  return {
    skill: {
      uri: `${skillAddress(skill)}/SKILL.md`,
      tokens: oneLine(tokens),
      files: Object.fromEntries(files),
    },
  }
}
