import { userInfo } from 'node:os'
import type { Command } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { fidArgument } from '../arguments.ts'
import { group } from '../call-command.ts'
import { note, oneLine, printResult, timeText } from '../output.ts'
import { asOperator, type OperatorOptions, operatorCall, operatorCalls } from './operator.ts'

const REASON_CHARACTERS = 80
/** Fields of every decision. */
const DECISION = { actor: { preset: userInfo().username } }

const short = (text: string) => oneLine(text, REASON_CHARACTERS)

const suspend = operatorCall('suspend', 'POST /moderation/accounts/{fid}/suspend', {
  example: '7 --reason "spam"',
  args: ['fid'],
  fields: DECISION,
  before: (calls, { fid }) => calls.ask('GET /moderation/accounts/{fid}', { fid }),
  line: ({ suspendedUntil }, { fid }, { suspended }) => {
    const end = suspendedUntil === null ? '' : `, until ${timeText(suspendedUntil)}`
    return `fid ${fid} ${suspended ? 'was suspended already' : 'is suspended'}${end}`
  },
})

const limit = operatorCall('limit', 'POST /moderation/accounts/{fid}/limit', {
  example: '7 --reason "advertises a lot"',
  args: ['fid'],
  fields: DECISION,
  line: (_, { fid }) => `fid ${fid} is limited: strangers are not shown it`,
})

const unlimit = operatorCall('unlimit', 'POST /moderation/accounts/{fid}/unlimit', {
  example: '7 --reason "better now"',
  args: ['fid'],
  fields: DECISION,
  line: (_, { fid }) => `fid ${fid} is not limited`,
})

const unwarn = operatorCall('unwarn', 'POST /moderation/warnings/{id}/unwarn', {
  example: '12 --reason "it was no spam"',
  args: ['id'],
  fields: DECISION,
  line: (_, { id }) => `warning ${id} is taken back`,
})

const notes = operatorCall('notes', 'GET /moderation/accounts/{fid}/notes', {
  example: '7',
  args: ['fid'],
  each: (reply) => reply.notes,
  line: ({ id, at, author, text }) => `${id} ${timeText(at)} ${short(author)}: ${short(text)}`,
})

const addNote = operatorCall('note', 'POST /moderation/accounts/{fid}/notes', {
  example: '7 --text "was asked to stop on Monday"',
  args: ['fid'],
  fields: DECISION,
  line: ({ id }, { fid }) => `note ${id} about fid ${fid} is kept`,
})

const removeNote = operatorCall('remove-note', 'DELETE /moderation/accounts/{fid}/notes/{id}', {
  example: '7 12',
  args: ['fid', 'id'],
  line: (_, { id }) => `note ${id} is gone`,
})

const restore = operatorCall('restore', 'POST /moderation/accounts/{fid}/restore', {
  example: '7 --reason "spam"',
  args: ['fid'],
  fields: DECISION,
  before: (calls, { fid }) => calls.ask('GET /moderation/accounts/{fid}', { fid }),
  line: (_, { fid }, { suspended }) =>
    suspended
      ? `fid ${fid} is restored: its suspension is over`
      : `fid ${fid} was not suspended: there is nothing to restore`,
})

const erase = operatorCall('erase', 'POST /moderation/accounts/{fid}/erase', {
  example: '7 --yes --reason "spam"',
  args: ['fid'],
  fields: DECISION,
  confirm: 'erasing cannot be undone',
  line: (_, { fid }) => `the messages of fid ${fid} are hidden now and are being erased`,
})

const hide = operatorCall('hide', 'POST /moderation/casts/{hash}/hide', {
  example: '0x5f6c… --reason "spam"',
  args: ['hash'],
  fields: DECISION,
  line: (_, { hash }) => `cast ${hash} is hidden`,
})

const unhide = operatorCall('unhide', 'POST /moderation/casts/{hash}/unhide', {
  example: '0x5f6c… --reason "spam"',
  args: ['hash'],
  fields: DECISION,
  line: (_, { hash }) => `cast ${hash} can be read`,
})

const takeName = operatorCall('take-name', 'POST /moderation/names/{name}/take', {
  example: 'alice --fid 7 --reason "spam"',
  args: ['name'],
  fields: DECISION,
  line: ({ fid }, { name }) => `${name} was taken from fid ${fid}`,
})

const removeFile = operatorCall('remove-file', 'POST /moderation/files/remove', {
  example: 'https://club.example/media/5f6c….jpg --yes --reason "not theirs"',
  args: ['url'],
  fields: DECISION,
  confirm: 'a removed file is gone for good',
  line: ({ fids }) => `the file is removed; uploaded by fid ${fids.join(', ')}`,
})

const removePoll = operatorCall('remove-poll', 'POST /moderation/polls/remove', {
  example: 'https://club.example/polls/k5x3qd7m2a4vw6zb --yes --reason "spam"',
  args: ['poll'],
  fields: DECISION,
  confirm: 'a removed poll is gone for good, with its votes',
  line: ({ fid }) => `the poll of fid ${fid} is removed`,
})

const resolve = operatorCall('resolve', 'POST /moderation/reports/{id}/resolve', {
  example: '12 --reason "spam"',
  args: ['id'],
  fields: DECISION,
  line: (_, { id }) => `report ${id} is resolved`,
})

const reports = operatorCall('reports', 'GET /moderation/reports', {
  each: ({ result }) => result.reports,
  line: ({ id, reporterFid, fid, castHash, reason, createdAt, resolution }) => {
    const subject = castHash ? `cast ${castHash} of fid ${fid}` : `fid ${fid}`
    const end = resolution ? ` (${short(resolution)})` : ''
    return `${id} ${timeText(createdAt)} fid ${reporterFid} reports ${subject}: ${short(reason)}${end}`
  },
})

const log = operatorCall('log', 'GET /moderation/log', {
  example: '--fid 7',
  each: ({ result }) => result.entries,
  line: ({ id, at, actor, action, fid, castHash, name, reason }) => {
    const subject = [fid && `fid ${fid}`, castHash && `cast ${castHash}`, name].filter(Boolean)
    return `${id} ${timeText(at)} ${short(actor)}: ${action} ${subject.join(', ')}: ${short(reason)}`
  },
})

/** Seconds as people say them. */
const spanText = (seconds: number | null): string => {
  if (seconds === null) return 'never'
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} days`
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, n]) => `${n} ${name}`)
    .join(', ') || 'none'

const statistics = operatorCall('statistics', 'GET /moderation/statistics', {
  line: ({ result }) => {
    const { reports, held, appeals, now } = result
    const { n, reversed } = appeals.reduce(
      (sum, one) => ({
        n: sum.n + one.upheld + one.reversed,
        reversed: sum.reversed + one.reversed,
      }),
      { n: 0, reversed: 0 },
    )
    return [
      `since ${timeText(result.since)}: ${result.answered} reports answered, half of them within ${spanText(result.medianSeconds)}, nine in ten within ${spanText(result.p90Seconds)}`,
      `reports: ${countsText(reports)}`,
      `held posts: ${countsText(held)}`,
      `appeals answered: ${n}, of these ${reversed} reversed`,
      `now: ${countsText(now)}`,
      ...result.weeks
        .filter((week) => Object.keys(week.reports).length > 0)
        .map(({ start, reports, medianSeconds }) => {
          const speed = medianSeconds === null ? '' : `; half within ${spanText(medianSeconds)}`
          return `week of ${timeText(start).slice(0, 10)}: ${countsText(reports)}${speed}`
        }),
      ...result.moderators.map(({ actor, actions }) => `${short(actor)}: ${countsText(actions)}`),
    ].join('\n')
  },
})

const heldTerms = operatorCall('held-terms', 'GET /moderation/held-terms', {
  each: ({ terms }) => terms,
  line: ({ kind, term, addedBy, addedAt }) =>
    `${kind} ${term} (${short(addedBy)}, ${timeText(addedAt)})`,
})

const holdTerm = operatorCall('hold-term', 'POST /moderation/held-terms', {
  example: '--kind domain --term spam.example',
  fields: DECISION,
  line: ({ kind, term }) => `new posts with the ${kind} ${term} wait for a moderator`,
})

const tryTerm = operatorCall('try-term', 'GET /moderation/held-terms/preview', {
  example: '--kind word --term boats',
  line: ({ kind, term, casts, found, ownAddress }) =>
    `of the last ${casts} posts, ${found} with the ${kind} ${term} would have waited${ownAddress ? '; it is in the address of this server' : ''}`,
})

const unholdTerm = operatorCall('unhold-term', 'DELETE /moderation/held-terms', {
  example: '--kind domain --term spam.example',
  fields: DECISION,
  line: () => 'new posts with it do not wait any more',
})

const newAccountsText = ({ days, posts, links, mentions }: NewAccounts) => {
  const most = (count: number | null) => count ?? 'any number of'
  return days === 0
    ? 'new accounts are not limited'
    : `for ${days} days an account writes ${most(posts)} posts in 24 hours, with ${most(links)} links and ${most(mentions)} mentions each`
}
type NewAccounts = Record<'posts' | 'links' | 'mentions', number | null> & { readonly days: number }

const newAccounts = operatorCall('new-accounts', 'GET /moderation/new-accounts', {
  line: newAccountsText,
})

const limitNewAccounts = operatorCall('limit-new-accounts', 'PUT /moderation/new-accounts', {
  example: '--days 3 --posts 10 --links 0 --mentions 2',
  fields: DECISION,
  line: newAccountsText,
})

function addExport(moderate: Command, config: ClientConfig): void {
  asOperator(moderate.command('export'), config)
    .summary('print all messages of an account, hidden ones too')
    .description('Prints each message in base64, one a line; with --json as a JSON string.')
    .argument('<fid>', 'fid of the account', fidArgument)
    .addHelpText('after', '\nExample:\n  rookery moderate export 7 > messages.txt')
    .action(async (fid: number, options: OperatorOptions) => {
      let count = 0
      const pages = operatorCalls(options, config).pages(
        'GET /moderation/accounts/{fid}/messages',
        { fid },
      )
      for await (const { messages } of pages) {
        for (const message of messages) printResult(options, message, message)
        count += messages.length
      }
      note(`${count} messages of fid ${fid}`)
    })
}

const exportRows = operatorCall('export-rows', 'GET /moderation/accounts/{fid}/rows', {
  example: '7 --json > rows.txt',
  args: ['fid'],
  each: ({ rows }) => rows,
  line: ({ table, row }) => `${table} ${JSON.stringify(row)}`,
})

const appeals = operatorCall('appeals', 'GET /moderation/appeals', {
  each: ({ result }) => result.appeals,
  line: ({ id, fid, action, text }) => `${id} fid ${fid} about ${action}: ${short(text)}`,
})

const answer = operatorCall('answer', 'POST /moderation/appeals/{id}/answer', {
  example: '12 --outcome reversed --reason "we were wrong"',
  args: ['id'],
  fields: DECISION,
  line: ({ outcome }, { id }) => `appeal ${id} is answered: ${outcome}`,
})

const staff = operatorCall('staff', 'GET /moderation/staff', {
  each: (reply) => reply.staff,
  line: ({ fid, role, appointedBy }) => `fid ${fid} ${role} appointed by ${appointedBy}`,
})

const appoint = operatorCall('appoint', 'POST /moderation/staff/{fid}/appoint', {
  example: `7 --role moderator --custody 0x${'5b'.repeat(20)} --reason "helps on weekends"`,
  args: ['fid'],
  fields: DECISION,
  line: ({ role }, { fid }) => `fid ${fid} has the role ${role}`,
})

const people = operatorCall('people', 'GET /people', {
  example: '--find alice',
  fields: { q: { flag: '--find <text>' } },
  each: ({ result }) => result.people,
  line: ({ fid, name, custody, isSuspended, openReports }) => {
    const who = `fid ${fid}${name === undefined ? '' : ` @${name}`}`
    const state = isSuspended ? ', suspended' : ''
    return `${who} custody ${custody ?? 'unknown'}${state}, ${openReports} open reports`
  },
})

const dismiss = operatorCall('dismiss', 'POST /moderation/staff/{fid}/dismiss', {
  example: '7 --reason "moved away"',
  args: ['fid'],
  fields: DECISION,
  line: (_, { fid }) => `fid ${fid} has no role any more`,
})

export const addModerateCommands = group(
  'moderate',
  'Moderation, for the operator. Sends ROOKERY_OPS_TOKEN when it is set.',
  'suspend 7 --reason "spam"',
  [
    ...[
      suspend,
      restore,
      limit,
      unlimit,
      unwarn,
      notes,
      addNote,
      removeNote,
      erase,
      hide,
      unhide,
      takeName,
      removeFile,
      removePoll,
      resolve,
      reports,
      ...[heldTerms, tryTerm, holdTerm, unholdTerm, newAccounts, limitNewAccounts],
      log,
      statistics,
      addExport,
      exportRows,
    ],
    ...[appeals, answer, people, staff, appoint, dismiss],
  ],
)
