/** `@icon`: a picture that clients show beside a tool; of a class, beside its toolbox and those of its tools that have none. */
import type { ToolIcon } from '../../../runtime/contract/mcp.ts'
import { oneLine } from '../../compiler/emit/yaml.ts'
import type { Feature } from '../../compiler/feature.ts'
import type { TextPart } from '../../compiler/ir/features.ts'
import { classes, once } from '../../compiler/read/language.ts'
import { type Icon, readIcon } from './read.ts'

export const iconFeature: Feature<Icon, Icon> = {
  tag: 'icon',
  word: once('./file.png', [...classes, 'tool'], 'others'),
  place: 'access',
  read: readIcon,
  link: ({ ofMethod }) => ofMethod,
  tool: (icon) => ({ texts: textsOf(icon) }),
  toolbox({ ofClasses }) {
    const icon = ofClasses.at(-1)
    return icon === undefined ? null : { texts: textsOf(icon) }
  },
}

/** Another picture is another digest. */
const textsOf = (icon: Icon): TextPart => ({
  entry: { icon: entryOf(icon) },
  lines: { icon: oneLine({ file: icon.path, digest: icon.digest }) },
})

/** As MCP spells it; a picture by itself, so that no server is asked for it. */
const entryOf = ({ mimeType, size, base64 }: Icon): ToolIcon => ({
  src: `data:${mimeType};base64,${base64}`,
  mimeType,
  ...(size === null ? {} : { sizes: [size] }),
})
