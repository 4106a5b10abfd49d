/** What the build says of mistakes in prompts, resources, completions, icons, keywords and tasks: the wrong samples of the reference. */
import t from 'tap'
import { diagnosticEntries } from '../../../cli/capabilities/reference/entries.ts'
import { judged } from '../support/samples.ts'

/** `line:column severity: message | hint`. */
const expected: Readonly<Record<string, readonly string[]>> = {
  ACM173: [
    "6:10 error: @icon: './lost.png' does not exist | Name a small picture beside the source, such as ./order.png: PNG, JPEG, SVG or WebP, 8 KiB at most.",
  ],
  ACM249: [
    '10:4 warning: @mcp keywords is for tools, and find is none: it is hidden | Remove the tag, or make it a tool.',
  ],
  ACM260: [
    '9:9 error: the prompt Orders.plan does not return messages | Return a text, or PromptMessage[] of acmcp: each with a role and one content.',
  ],
  ACM261: ['16:23 error: Orders.cities completes an argument, and does not return texts | Return string[].'],
  ACM262: [
    '10:6 error: the argument to of orders_plan cannot be written as a text | Clients send the arguments of prompts and resources as texts: take a text, a number, a date, an enum or a list of them.',
  ],
  ACM263: [
    '8:4 error: the address of the resource orders_show names {part}, and the route has no such argument | Write an argument of the method in braces.',
  ],
  ACM264: [
    '8:4 error: the route needs the argument id, and the address of the resource orders_show does not name it | Write {id} in uri=…, or give the parameter a default.',
  ],
  ACM265: [
    '16:4 error: the address orders://{order} is that of orders_show (app/controllers/orders.ts:8) too | Change the uri=… of one of the two.',
  ],
  ACM266: [
    "14:4 error: @complete: there is no prompt or resource 'trip' | Write its name, such as trips_plan, or a method of this class with @mcp prompt or @mcp resource.",
  ],
  ACM267: [
    '14:4 error: @complete: orders_plan has no argument town | Write the name of an argument that clients fill in.',
  ],
  ACM268: [
    '17:5 error: @complete: the argument city of orders_plan is completed by cities (app/controllers/orders.ts:14) too | Remove one of the two.',
  ],
  ACM269: [
    '14:4 error: cities does not take city, which it completes | Add a parameter city: it is what the user has written so far.',
  ],
  ACM270: [
    '16:22 error: the completion cities needs country, which the user may not have filled in yet | Make the parameter optional.',
  ],
  ACM271: [
    '5:1 error: the prompt orders_plan has no description: users cannot know what it is for | Write what it is for above the first tag.',
  ],
  ACM310: [
    '9:4 error: start cannot be a task, for it is no tool: it is hidden | Remove @mcp task, or make it a tool: a task is what a tool call becomes.',
  ],
}

t.test('each mistake is told with its place and what to do', async (t) => {
  for (const [code, lines] of Object.entries(expected)) {
    const wrong = diagnosticEntries()
      .find(({ name }) => name === code)
      ?.samples.find(({ label }) => label === 'wrong')
    const reported = judged(wrong?.text ?? '').filter((diagnostic) => diagnostic.code === code)
    t.strictSame(
      reported.map(
        ({ severity, at, message, hint }) => `${at.line}:${at.column} ${severity}: ${message} | ${hint}`,
      ),
      lines,
      code,
    )
  }
})
