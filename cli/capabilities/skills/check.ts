/** The rules of skills. Source: SEP-2640, Skill format; agentskills.io, Specification. */

import { type Diagnostic, place } from '../../compiler/diagnostics/source-diagnostics.ts'
import { saidOf } from '../../compiler/feature.ts'
import type { Controller } from '../../compiler/ir/model.ts'
import { offersOf } from '../../compiler/schema/completions.ts'
import { estimatedTokens } from '../../compiler/schema/tools.ts'
import {
  badSkillName,
  skillDescriptionTooLong,
  skillNameTaken,
  skillTextMissing,
  skillTooLong,
  skillWithoutTools,
  uriOfSkills,
} from './diagnostics.ts'
import { type Skill, skillDescriptionOf, skillName, skillNameOf, skillOf, wholeTextOf } from './skill.ts'

const longestName = 64
const longestDescription = 1024
/** What agentskills.io recommends. */
const maxTokens = 5000

interface WithSkill extends Controller {
  readonly skill: Skill
}

/** Everything that is wrong with them; nothing is looked at where there are none. */
export function checkSkills(controllers: readonly Controller[]): readonly Diagnostic[] {
  const all = controllers.flatMap((controller): readonly WithSkill[] => {
    const skill = saidOf<Skill>(skillName, controller)
    return skill === null ? [] : [{ ...controller, skill }]
  })
  if (all.length === 0) return []
  return [
    ...all.flatMap(skillFits),
    ...all.flatMap(isShort),
    ...namesAreDistinct(all),
    ...offersOf(controllers).flatMap(({ action: { resource }, kind }) =>
      kind === 'resource' && resource?.uri.startsWith('skill:') === true
        ? [uriOfSkills(resource.at, resource.uri)]
        : [],
    ),
  ]
}

function skillFits(controller: WithSkill): readonly Diagnostic[] {
  const { symbol, doc, skill, actions } = controller
  const name = skillNameOf(controller)
  const description = skillDescriptionOf(controller, skill)
  const { length } = [...description]
  const isName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) && name.length <= longestName
  return [
    ...(actions.every(({ tool }) => tool === null) ? [skillWithoutTools(skill.at, symbol.name)] : []),
    ...(doc.summary === '' ? [skillTextMissing(skill.at, symbol.name)] : []),
    ...(isName ? [] : [badSkillName(skill.at, name, symbol.name)]),
    ...(length > longestDescription ? [skillDescriptionTooLong(skill.at, name, String(length))] : []),
  ]
}

function isShort(controller: WithSkill): readonly Diagnostic[] {
  const skill = skillOf(controller, controller.skill)
  const tokens = skill === null ? 0 : estimatedTokens(wholeTextOf(skill).length)
  if (tokens <= maxTokens) return []
  return [skillTooLong(controller.skill.at, skillNameOf(controller), String(tokens), String(maxTokens))]
}

function namesAreDistinct(all: readonly WithSkill[]): readonly Diagnostic[] {
  const first = new Map<string, WithSkill>()
  return all.flatMap((skill) => {
    const name = skillNameOf(skill)
    const other = first.get(name)
    if (other !== undefined)
      return [skillNameTaken(skill.skill.at, name, `${other.symbol.name} (${place(other.skill.at)})`)]
    first.set(name, skill)
    return []
  })
}
