import type { Command, Help, Option } from 'commander'
import { SERVERS } from './commands/network.ts'

/** The page of the manual (section 1, in roff) of all commands, from their help. */
export function manualOf(program: Command, version: string): string {
  const help = program.createHelp()
  const sections = sectionsOf(program).map(
    ([heading, commands]) =>
      `.SH ${heading.replace(/:$/, '').toUpperCase()}\n${commands
        .flatMap((one) => leavesOf(one))
        .map((one) => entryOf(one, help))
        .join('')}`,
  )
  return `.TH ROOKERY 1 "" "rookery ${version}" "User Commands"
.SH NAME
rookery \\- ${roff(program.description())}
.SH SYNOPSIS
.B rookery
.I command
[options]
.SH DESCRIPTION
Results are on standard output, as JSON with \\fB\\-\\-json\\fR; messages for people are on standard error.
The status is 0, 1 when the command failed, and 2 when it was not understood.
${sections.join('')}.SH ${SERVERS.replace(':', '').toUpperCase()}
Options of the commands that talk to servers.
${serverOptions(program, help)}`
}

/** The options that name servers, each once. */
function serverOptions(program: Command, help: Help): string {
  const all = leavesOf(program).flatMap(({ options }) => options.filter(isServers))
  const byFlags = new Map(all.map((option) => [option.flags, option]))
  return [...byFlags.values()].map((one) => optionText(one, help)).join('')
}

const isServers = ({ helpGroupHeading }: Option): boolean => helpGroupHeading === SERVERS

const optionText = (one: Option, help: Help): string =>
  `.TP\n\\fB${roff(one.flags)}\\fR\n${roff(help.optionDescription(one))}\n`

/** The commands below each heading of the help. */
function sectionsOf(program: Command): [string, Command[]][] {
  const sections = new Map<string, Command[]>()
  for (const command of program.commands) {
    const heading = command.helpGroup() || 'Other'
    sections.set(heading, [...(sections.get(heading) ?? []), command])
  }
  return [...sections]
}

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

function entryOf(command: Command, help: Help): string {
  const options = help
    .visibleOptions(command)
    .filter((one) => one.long !== '--help' && !isServers(one))
    .map((one) => `.RS\n${optionText(one, help)}.RE\n`)
  const text = command.summary() || command.description()
  return `.TP\n\\fB${roff(help.commandUsage(command))}\\fR\n${roff(text)}\n${options.join('')}`
}

/** As groff names characters: at least four digits in upper case. */
const hexOf = (sign: string): string =>
  sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')

/** Text of a line: no sign that roff would read as a request or a hyphen. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/\s+/g, ' ')
    .replace(/^[.']/, '\\&$&')
    .replace(/[\u{80}-\u{10ffff}]/gu, (sign) => `\\[u${hexOf(sign)}]`)
