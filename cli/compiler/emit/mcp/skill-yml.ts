/** The skill of a toolbox in `generated/mcp.yml`: word for word as who may call all its tools reads it. */
import type { Controller } from '../../ir/model.ts'
import { skillAddress, skillOf, wholeTextOf } from '../../schema/skill.ts'
import { estimatedTokens } from '../../schema/tools.ts'
import { oneLine } from '../yaml.ts'

/** Nothing where the controller has none. `tokens`: what every conversation pays, and what loading it costs. */
export function skillLines(controller: Controller): object {
  const skill = skillOf(controller)
  if (skill === null) return {}
  const text = wholeTextOf(skill)
  const tokens = {
    listed: estimatedTokens(skill.name.length + skill.description.length),
    loaded: estimatedTokens(text.length),
  }
  return { skill: { uri: skillAddress(skill), tokens: oneLine(tokens), text } }
}
