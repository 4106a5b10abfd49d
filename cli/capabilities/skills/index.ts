/** `@mcp skill`: a toolbox has a text that clients load, with the list of its tools. */
import { oneLine } from '../../compiler/emit/yaml.ts'
import type { Feature } from '../../compiler/feature.ts'
import { once } from '../../compiler/read/language.ts'
import { estimatedTokens } from '../../compiler/schema/tools.ts'
import { checkSkills } from './check.ts'
import { type Skill, skillAddress, skillName, skillOf, wholeTextOf } from './skill.ts'

export const skillFeature: Feature<Skill> = {
  ...skillName,
  word: once(' [when to use it]', ['class']),
  place: 'call',
  read: (_source, { text, at }) => ({ when: text.slice('skill'.length).trim(), at }),
  toolbox({ own }, toolbox) {
    const entry = own === null ? null : skillOf(toolbox, own)
    if (entry === null) return null
    const text = wholeTextOf(entry)
    // what every conversation pays, and what loading it costs
    const tokens = {
      listed: estimatedTokens(entry.name.length + entry.description.length),
      loaded: estimatedTokens(text.length),
    }
    return {
      texts: { lines: { skill: { uri: skillAddress(entry), tokens: oneLine(tokens), text } }, entry: {} },
      listed: { skills: entry },
    }
  },
  checkAll: checkSkills,
}
