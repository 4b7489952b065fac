import { type Command, Option } from 'commander'
import type { ClientConfig } from '../config.ts'
import {
  CAST_HELP,
  castHashArgument,
  channelIdArgument,
  keyRequestArgument,
  listOf,
  personArgument,
  wholeNumber,
} from './arguments.ts'
import type { AnswerTo, CallName, Calls, InputTo, InterfaceName } from './calls.ts'
import { isConfirmed, isTerminal } from './confirm.ts'
import { Failure } from './failure.ts'
import { CALLS } from './generated/calls.ts'
import { note, printJson, printResult } from './output.ts'

// A command that makes one call of an interface. Method, path, parameters and help come from the declaration of the
// route, which `npm run generate` writes into the table of calls. The server checks what it declares; the command line
// converts numbers, names of accounts and links of casts.

/** The names of the fields of an input, those of a union included. */
type FieldOf<N> = N extends unknown ? keyof N & string : never

type Field = {
  readonly type: string
  readonly required?: boolean
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly choices?: readonly string[]
}
type Call = {
  readonly summary: string
  readonly description: string
  readonly fields: Readonly<Record<string, Field>>
}

/** What a command of an interface has to know besides its call. */
export type Side<I extends InterfaceName> = {
  readonly name: I
  readonly addOptions: (command: Command, config: ClientConfig) => Command
  // biome-ignore lint/suspicious/noExplicitAny: the options that `addOptions` adds
  readonly connect: (options: any, config: ClientConfig) => Promise<Session<I>>
  /** Values that its commands read in another way than others. */
  readonly values?: Values
}
type Session<I extends InterfaceName> = {
  readonly calls: Calls<I>
  /** The account in whose name the call is made; 0 for the operator. */
  readonly fid: number
}

/** What a command says about a field: its flag, a help text where the declaration has none, its value unless given. */
type FieldWords = {
  readonly flag?: string
  readonly help?: string
  readonly preset?: string | number
}

type CallWords<I extends InterfaceName, C, V, B> = {
  /** What follows the words of the command in its example. */
  readonly example?: string
  /** The summary of the declaration unless given. */
  readonly summary?: string
  /** Fields that are arguments, in this order. The others are options. */
  readonly args?: readonly FieldOf<InputTo<I, C>>[]
  readonly fields?: { readonly [F in FieldOf<InputTo<I, C>>]?: FieldWords }
  /** Fields with one value, which the command does not offer. */
  readonly fixed?: { readonly [F in FieldOf<InputTo<I, C>>]?: unknown }
  /** Why the command asks for --yes. */
  readonly confirm?: string
  /** What the call would do besides, if anything. The command asks on a terminal, and wants --yes elsewhere. */
  readonly asks?: (calls: Calls<I>, input: InputTo<I, C>) => Promise<string | undefined>
  /** A read before the call, for the text of the answer. */
  readonly before?: (calls: Calls<I>, input: InputTo<I, C>) => Promise<B>
  /** The part of the answer that is printed; all of it unless given. */
  readonly take?: (answer: AnswerTo<I, C>, input: InputTo<I, C>, fid: number) => V
  /** The items of a list. All pages are read, and each item is printed. */
  readonly each?: (answer: AnswerTo<I, C>) => readonly V[]
  /** What went wrong although the call was answered, if anything: the command fails with it. */
  readonly fault?: (value: V) => string | undefined
  /** The text of a value; with --json the value itself is printed. */
  readonly line: (value: V, input: InputTo<I, C>, before: B) => string
  /** A hint for people, on standard error. */
  readonly hint?: (value: V) => string
}

export type Add = (parent: Command, config: ClientConfig) => void

/** Makes the function that declares commands of one interface. */
export const callsOf =
  <I extends InterfaceName>(side: Side<I>) =>
  <C extends CallName<I>, V = AnswerTo<I, C>, B = undefined>(
    name: string,
    call: C,
    words: CallWords<I, C, V, B>,
  ): Add =>
  (parent, config) => {
    const { summary, description, fields }: Call = (CALLS[side.name] as Record<C, Call>)[call]
    const command = side
      .addOptions(parent.command(name), config)
      .summary(words.summary ?? phrase(summary))
      .description(description)
    const inputOf = addFields(command, fields, words, { ...VALUES, ...side.values })
    if (words.confirm) command.option('--yes', `confirm: ${words.confirm}`)
    if (words.asks) command.option('--yes', 'do not ask')
    const path = parent.parent ? `${parent.name()} ${name}` : name
    addExample(command, `${path} ${words.example ?? ''}`.trim())
    command.action(async () => {
      const options = command.opts()
      if (words.confirm && !options.yes) throw new Failure(`${words.confirm}; add --yes to confirm`)
      const input = inputOf() as InputTo<I, C>
      const { calls, fid } = await side.connect(options, config)
      if (words.asks && !options.yes) await confirmed(await words.asks(calls, input))
      const before = (await words.before?.(calls, input)) as B
      const show = (value: V) => {
        const fault = words.fault?.(value)
        if (fault !== undefined && options.json) printJson(value)
        if (fault !== undefined) throw new Failure(fault)
        printResult(options, value, words.line(value, input, before))
      }
      if (words.each) {
        let count = 0
        for await (const answer of calls.pages(call, input)) {
          const values = words.each(answer)
          values.forEach(show)
          count += values.length
        }
        if (count === 0 && !options.json) note('There are none.')
        return
      }
      const answer = await calls.ask(call, input)
      const value = words.take ? words.take(answer, input, fid) : (answer as V)
      show(value)
      if (words.hint && !options.json) note(words.hint(value))
    })
  }

async function confirmed(consequence: string | undefined): Promise<void> {
  if (consequence === undefined) return
  if (!isTerminal()) throw new Failure(`${consequence}; add --yes to confirm`)
  note(`${consequence}.`)
  if (!(await isConfirmed('Go on?'))) throw new Failure('nothing was changed')
}

const addExample = (command: Command, example: string): Command =>
  command.addHelpText('after', `\nExample:\n  rookery ${example}`)

/** A command with subcommands. */
export const group =
  (name: string, description: string, example: string, subcommands: readonly Add[]): Add =>
  (program, config) => {
    const parent = addExample(program.command(name).description(description), `${name} ${example}`)
    for (const add of subcommands) add(parent, config)
  }

/** A sentence of a declaration as help texts of commands are written. */
const phrase = (sentence: string): string =>
  sentence.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '')

type Fields = Readonly<Record<string, Field>>
type Words = {
  readonly args?: readonly string[]
  readonly fields?: Readonly<Record<string, FieldWords | undefined>>
  readonly fixed?: Readonly<Record<string, unknown>>
}

/** Adds the arguments and options of a call. Returns a function that reads its input from them. */
function addFields(
  command: Command,
  fields: Fields,
  { args = [], fixed = {}, fields: words = {} }: Words,
  values: Values,
) {
  for (const name of args) {
    const { help, parse } = valueFor(name, values, fields[name]!, words[name])
    command.argument(bracketed(name, fields[name]!), help, parse)
  }
  const options = Object.keys(fields)
    .filter((name) => !args.includes(name) && !(name in fixed))
    .map((name) => {
      const option = optionOf(name, values, fields[name]!, words[name])
      command.addOption(option)
      return [name, option.attributeName()] as const
    })
  return () => ({
    ...fixed,
    ...Object.fromEntries(args.map((name, index) => [name, command.processedArgs[index]])),
    ...Object.fromEntries(options.map(([name, attribute]) => [name, command.opts()[attribute]])),
  })
}

/** `<url>` for actionUrl, `[urls...]` for actionUrls. */
const bracketed = (name: string, { type }: Field): string =>
  type === 'array' ? `[${lastWordOf(name)}...]` : `<${lastWordOf(name)}>`

const lastWordOf = (name: string) => name.replace(/^.*(?=[A-Z])/, '').toLowerCase()

/** `--image <url>` for imageUrl. */
function optionOf(name: string, values: Values, field: Field, words: FieldWords = {}): Option {
  const kebab = name.replace(/Url$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const { help, parse } = valueFor(name, values, field, words)
  const option = new Option(words.flag ?? `--${kebab} <${lastWordOf(name)}>`, help)
  if (field.choices) option.choices(field.choices)
  else option.argParser(parse)
  if (words.preset !== undefined) option.default(words.preset)
  else if (field.required) option.makeOptionMandatory()
  return option
}

type Value = {
  readonly help: string
  // biome-ignore lint/suspicious/noExplicitAny: of a list, what its parser returned before
  readonly parse: (text: string, previous: any) => unknown
}

type Values = Readonly<Record<string, Value>>

/** Values that a command line accepts in more forms than the interface. */
const VALUES: Values = {
  fid: { help: 'fid or name of the account', parse: personArgument },
  hash: { help: CAST_HELP, parse: castHashArgument },
  channelId: { help: '1 to 16 characters of a-z, 0-9 and -', parse: channelIdArgument },
  token: { help: 'token of the request, or a link that contains it', parse: keyRequestArgument },
}

function valueFor(name: string, values: Values, field: Field, { help }: FieldWords = {}): Value {
  const known = values[name] ?? values[lastWordOf(name)]
  if (known) return { parse: known.parse, help: help ?? known.help }
  const parse =
    field.type === 'integer'
      ? wholeNumber(field.minimum ?? 0, field.maximum)
      : field.type === 'array'
        ? listOf(String)
        : String
  return { help: help ?? phrase(field.description ?? ''), parse }
}
