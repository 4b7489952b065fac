import Type from 'typebox'
import { wordsParam } from '../../kernel/app-api/params.ts'
import { cursorParam, encodeCursor, limitParam, pageReply } from '../../kernel/http/input/paging.ts'
import {
  described,
  fidParam,
  hexParam,
  intParam,
  optional,
  textParam,
  wordParam,
} from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { HASH_BYTES, MAX_FID } from '../../kernel/protocol/sizes.ts'
import {
  MAX_READ_ENTRIES,
  MAX_SEARCHED_ENTRIES,
  MODERATION_ACTIONS,
  moderationLogRows,
  reportRows,
} from '../moderation-records/port.ts'
import { caseRoutes } from './case-routes.ts'
import { castTextsOf } from './cast-text.ts'
import {
  actorIn,
  DecisionBody,
  DONE,
  Done,
  daysField,
  decisionFields,
  decisionOf,
  memberIn,
  Next,
  type OperatorContext,
  TAGS,
  usernamesOf,
} from './decisions.ts'
import { noteRoutes } from './note-routes.ts'
import {
  exportReply,
  exportRowsReply,
  MAX_ROW_TOKEN_CHARACTERS,
  ROWS_COST,
} from './owner-routes.ts'
import { fidOfName, MAX_NAME_BYTES, peopleRoutes } from './people-routes.ts'
import {
  AccountSchema,
  accountJson,
  EntrySchema,
  ExportReply,
  ExportRowsReply,
  entryJson,
  ReportSchema,
  reportJson,
} from './schemas.ts'
import { heldRoutes } from './screening/held-routes.ts'
import { newcomerRoutes } from './screening/newcomer-routes.ts'
import { statisticsRoute } from './statistics-route.ts'
import { actorsNamed, fidOfActor } from './tables/staff.ts'

const MAX_URL_CHARACTERS = 512
/** Of the log at a time. */
const MAX_ENTRIES = 1_000
/** Names of who has the token, of at most 100 characters. */
const MAX_ACTOR_BYTES = 400
const MAX_SEARCHED_WORDS = 3
const MAX_WORDS_BYTES = 400
const secondsParam = intParam({ min: 0, max: 2 ** 40 })

const ACCOUNT_ACTIONS = {
  suspend: {
    summary: 'Suspend an account',
    description:
      'Everything of the account is hidden on all interfaces at once, and its new messages are refused. ' +
      'Its messages stay stored. It ends after `days`, or never; doing it once more sets a new end.',
  },
  limit: {
    summary: 'Limit an account',
    description:
      'Trends, searches and notifications show it only to those who follow it. All else stays as it is. ' +
      'Limiting it once more changes nothing.',
  },
  unlimit: { summary: 'End the limit of an account', description: 'It is shown as before.' },
  restore: {
    summary: 'End the suspension of an account',
    description: 'Everything is shown as before. Followers of the events get each message again.',
  },
  erase: {
    summary: 'Erase all messages of an account for good',
    description:
      'They are hidden at once and deleted in the background, from lists and from events. This cannot ' +
      'be undone. The account may send new messages afterwards, unless it is suspended.',
  },
} as const

const CAST_ACTIONS = {
  hide: {
    summary: 'Hide a cast',
    description: 'It is hidden on all interfaces at once. Reactions and replies to it stay.',
  },
  unhide: {
    summary: 'Show a hidden cast again',
    description: 'Does nothing for a cast that is not hidden.',
  },
} as const

const suspend = route('POST /moderation/accounts/:fid/suspend', {
  callers: 'operator',
  ...ACCOUNT_ACTIONS.suspend,
  tags: TAGS,
  params: { fid: fidParam },
  body: json(Type.Object({ ...decisionFields, ...daysField })),
  reply: AccountSchema,
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ moderation }: OperatorContext, { params, body }) =>
    accountJson(await moderation.suspend(params.fid, decisionOf(body), body.days)),
})

const accountAction = (action: Exclude<keyof typeof ACCOUNT_ACTIONS, 'suspend'>) =>
  route(`POST /moderation/accounts/:fid/${action}`, {
    callers: 'operator',
    ...ACCOUNT_ACTIONS[action],
    tags: TAGS,
    params: { fid: fidParam },
    body: DecisionBody,
    reply: AccountSchema,
    errors: ['bad_request.validation_failure', 'not_found'],
    cost: 'write',
    handler: async ({ moderation }: OperatorContext, { params, body }) =>
      accountJson(await moderation[action](params.fid, decisionOf(body))),
  })

const castAction = (action: keyof typeof CAST_ACTIONS) =>
  route(`POST /moderation/casts/:hash/${action}`, {
    callers: 'operator',
    ...CAST_ACTIONS[action],
    tags: TAGS,
    params: { hash: hexParam({ bytes: HASH_BYTES, label: 'hash' }) },
    body: DecisionBody,
    reply: Done,
    errors: ['bad_request.validation_failure', 'not_found'],
    cost: 'write',
    handler: async ({ moderation }: OperatorContext, { params, body }) => {
      await moderation[`${action}Cast`](params.hash, decisionOf(body))
      return DONE
    },
  })

const unwarn = route('POST /moderation/warnings/:id/unwarn', {
  callers: 'operator',
  summary: 'Take a warning back',
  description:
    'It is no earlier decision any more, and the account that was warned reads the reason. An open appeal against it is answered with the reason. Reports that it has not answered yet wait for another decision. Does nothing for one that was taken back already.',
  tags: TAGS,
  params: {
    id: described(
      intParam({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      'Id of the warning in the log.',
    ),
  },
  body: DecisionBody,
  reply: Done,
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ moderation }: OperatorContext, { params, body }) => {
    await moderation.unwarn(params.id, decisionOf(body))
    return DONE
  },
})

const account = route('GET /moderation/accounts/:fid', {
  callers: 'operator',
  summary: 'Whether an account is suspended, limited or erased',
  description: 'For any fid, registered or not.',
  tags: TAGS,
  params: { fid: fidParam },
  reply: AccountSchema,
  errors: [],
  cost: 'lookup',
  handler: async ({ moderation }: OperatorContext, { params }) =>
    accountJson(await moderation.account(params.fid)),
})

const exportMessages = route('GET /moderation/accounts/:fid/messages', {
  callers: 'operator',
  summary: 'Export the messages of an account, hidden ones too',
  description:
    'Serialised messages in base64, in pages. The log of moderation shows each export and who made it.',
  tags: TAGS,
  params: { fid: fidParam },
  query: { pageToken: optional(textParam({ maxBytes: 128 })) },
  reply: ExportReply,
  errors: [],
  cost: 'write',
  handler: async (context: OperatorContext, { params, query, body }) => {
    await context.moderation.exported(params.fid, actorIn(body))
    return exportReply(context, params.fid, query.pageToken)
  },
})

const exportOwnRows = route('GET /moderation/accounts/:fid/rows', {
  callers: 'operator',
  summary: 'Export what this server keeps of an account beside messages and files',
  description:
    'Rows of its tables, in pages, as its owner exports them. The log of moderation shows each export and who made it.',
  tags: TAGS,
  params: { fid: fidParam },
  query: { pageToken: optional(textParam({ maxBytes: MAX_ROW_TOKEN_CHARACTERS })) },
  reply: ExportRowsReply,
  errors: [],
  cost: { ...ROWS_COST, writes: 1 },
  handler: async (context: OperatorContext, { params, query, body }) => {
    await context.moderation.exported(params.fid, actorIn(body))
    return exportRowsReply(context.storage, params.fid, query.pageToken)
  },
})

const takeName = route('POST /moderation/names/:name/take', {
  callers: 'operator',
  summary: 'Take a name back from the fid that holds it',
  description:
    'An ordinary release in the log of the registry, signed with its key. `fid` is who holds it: 409 when it has changed hands.',
  tags: TAGS,
  params: { name: described(textParam({ maxBytes: 64 }), 'A name of the registry.') },
  body: json(
    Type.Object({
      ...decisionFields,
      fid: Type.Integer({
        minimum: 1,
        maximum: MAX_FID,
        description: 'The fid that holds it, as you have read.',
      }),
    }),
  ),
  reply: Type.Object({
    name: Type.String(),
    fid: Type.Integer({ description: 'The fid that held it.' }),
    transferId: Type.Integer(),
  }),
  errors: [
    'bad_request.validation_failure',
    'changed_meanwhile',
    'USERNAME_NOT_FOUND',
    'not_supported',
  ],
  cost: 'write',
  handler: ({ moderation }: OperatorContext, { params: { name }, body }) =>
    moderation.takeName({ name, fid: body.fid }, decisionOf(body)),
})

const removeFile = route('POST /moderation/files/remove', {
  callers: 'operator',
  summary: 'Remove a picture or a video for good',
  description:
    'For all who have uploaded it, with every size. Casts, profiles and channels that name it stay, without it. Those who uploaded it read the reason.',
  tags: TAGS,
  body: json(
    Type.Object({
      url: Type.String({
        minLength: 1,
        maxLength: MAX_URL_CHARACTERS,
        description: 'The address of the file, as casts have it.',
      }),
      ...decisionFields,
    }),
  ),
  reply: Type.Object({
    fids: Type.Array(Type.Integer(), { description: 'Who had uploaded it; 0: the operator.' }),
  }),
  errors: ['bad_request.validation_failure', 'not_found'],
  cost: 'write',
  handler: async ({ moderation }: OperatorContext, { body: { url, ...decision } }) => ({
    fids: await moderation.removeFile(url, decisionOf(decision)),
  }),
})

const removePoll = route('POST /moderation/polls/remove', {
  callers: 'operator',
  summary: 'Remove a poll with its votes for good',
  description: 'Casts with it show a plain link then. Who made it reads the reason.',
  tags: TAGS,
  body: json(
    Type.Object({
      poll: Type.String({
        minLength: 1,
        maxLength: MAX_URL_CHARACTERS,
        description: 'Its address, as casts have it, or its id.',
      }),
      ...decisionFields,
    }),
  ),
  reply: Type.Object({ fid: Type.Integer({ description: 'Who had made it.' }) }),
  errors: ['bad_request.validation_failure', 'not_found', 'not_supported'],
  cost: 'write',
  handler: async ({ moderation }: OperatorContext, { body: { poll, ...decision } }) => ({
    fid: await moderation.removePoll(poll, decisionOf(decision)),
  }),
})

const listReports = route('GET /moderation/reports', {
  callers: 'operator',
  summary: 'Reports of users',
  description:
    'Open ones unless `state` says otherwise, the oldest first. An account with a role sees none about itself.',
  tags: TAGS,
  query: {
    state: optional(described(wordParam(['open', 'resolved'] as const), 'Which reports.')),
    limit: limitParam({ default: 100, max: 1_000 }),
    cursor: cursorParam('n'),
  },
  reply: Type.Object({
    result: Type.Object({ reports: Type.Array(ReportSchema) }),
    next: Next,
  }),
  errors: [],
  cost: 'list',
  handler: async ({ storage }: OperatorContext, { query, body }) => {
    const after = (query.cursor?.[0] as number | undefined) ?? 0
    const which = {
      state: query.state ?? 'open',
      withoutReportsAbout: memberIn(body)?.fid,
    } as const
    const rows = await storage.of(reportRows).list(which, after, query.limit + 1)
    return pageReply(
      rows,
      query.limit,
      ({ id }) => [id],
      (items) => ({ reports: items.map(reportJson) }),
    )
  },
})

const resolveReport = route('POST /moderation/reports/:id/resolve', {
  callers: 'operator',
  summary: 'Resolve a report',
  description:
    'What was decided is the reason. The same once more changes nothing; a report that somebody else has resolved is answered with 409.',
  tags: TAGS,
  params: {
    id: described(intParam({ min: 1, max: Number.MAX_SAFE_INTEGER }), 'Id of the report.'),
  },
  body: DecisionBody,
  reply: ReportSchema,
  errors: ['bad_request.validation_failure', 'changed_meanwhile', 'not_found'],
  cost: 'write',
  handler: async ({ reports }: OperatorContext, { params, body }) =>
    reportJson(await reports.resolve(params.id, decisionOf(body))),
})

const NamedEntrySchema = Type.Object({
  ...EntrySchema.properties,
  username: Type.Optional(Type.String({ description: 'Of the account that it is about.' })),
  actorUsername: Type.Optional(Type.String({ description: 'Of the account that decided.' })),
  castText: Type.Union([Type.String(), Type.Null()], {
    description: 'What the cast says that it is about.',
  }),
})

const log = route('GET /moderation/log', {
  callers: 'operator',
  summary: 'Who decided what, when and why',
  description: `The newest first, filtered by what is given. A page looks at ${MAX_SEARCHED_ENTRIES} entries at most, with \`words\` at ${MAX_READ_ENTRIES}: one with \`next\` may be short, or empty, and go on; \`searchedSince\` says how far back it looked.`,
  tags: TAGS,
  query: {
    fid: optional(described(fidParam, 'The account that it is about.')),
    username: optional(
      described(
        textParam({ maxBytes: MAX_NAME_BYTES }),
        'The account that it is about, by its name or by `!` and its fid.',
      ),
    ),
    actor: optional(
      described(
        textParam({ maxBytes: MAX_ACTOR_BYTES }),
        'Who decided: the fid of an account with a role, or the name that entries have, such as `operator` or `server`.',
      ),
    ),
    action: optional(wordsParam(MODERATION_ACTIONS, 'Only these actions.')),
    words: optional(
      described(
        textParam({ maxBytes: MAX_WORDS_BYTES }),
        `Up to ${MAX_SEARCHED_WORDS} words or parts of words, all of which are in the reason or the name, in whatever case.`,
      ),
    ),
    since: optional(described(secondsParam, 'From this time on, in Unix seconds.')),
    until: optional(described(secondsParam, 'Before this time, in Unix seconds.')),
    limit: limitParam({ default: 100, max: MAX_ENTRIES }),
    cursor: cursorParam('n'),
  },
  reply: Type.Object({
    result: Type.Object({
      entries: Type.Array(NamedEntrySchema),
      searchedSince: Type.Optional(
        Type.Integer({
          description:
            'There where a page ends before it is full: the time of the oldest entry that it looked at, in Unix seconds.',
        }),
      ),
    }),
    next: Next,
  }),
  errors: [],
  cost: { cpu: 'medium', rows: 2 * MAX_ENTRIES, scanned: 2 * MAX_SEARCHED_ENTRIES },
  // So many texts of 2,000 characters were read and compared in 55 ms.
  costOfQuery: ({ words }) => (words === undefined ? {} : { decoded: 14 * MAX_READ_ENTRIES }),
  handler: async ({ storage }: OperatorContext, { query, body }) => {
    const { username, actor, action: actions, words: text, since, until, limit, cursor } = query
    const words = text?.split(/\s+/).filter((word) => word !== '')
    if (words && words.length > MAX_SEARCHED_WORDS) {
      throw new Rejection(
        'bad_request.invalid_param',
        `words must be at most ${MAX_SEARCHED_WORDS}: leave some out`,
        { field: 'words' },
      )
    }
    if (username !== undefined && query.fid !== undefined) {
      throw new Rejection(
        'bad_request.invalid_param',
        'username must not be given with fid: both say whom it is about',
        { field: 'username' },
      )
    }
    const fid = username === undefined ? query.fid : await fidOfName(storage, username)
    if (username !== undefined && fid === undefined) return { result: { entries: [] } }
    const { rows, searchedTo } = await storage.of(moderationLogRows).search(
      {
        ...{ fid, actions, words, since, until },
        actors: actor === undefined ? undefined : actorsNamed(actor),
        withoutReportsAbout: memberIn(body)?.fid,
      },
      (cursor?.[0] as number | undefined) ?? Number.MAX_SAFE_INTEGER,
      limit + 1,
    )
    const fids = [...new Set(rows.flatMap((row) => [row.fid, fidOfActor(row.actor)]))].filter(
      (one) => typeof one === 'number',
    )
    const names = await usernamesOf(storage, fids)
    const texts = await castTextsOf(
      storage,
      rows.map(({ cast_hash }) => cast_hash),
    )
    const page = pageReply(
      rows.map((row, at) => {
        const [username, actorUsername] = [row.fid, fidOfActor(row.actor)].map(
          (one) => one && names.get(one),
        )
        return {
          ...entryJson(row),
          ...(username && { username }),
          ...(actorUsername && { actorUsername }),
          castText: texts[at]!,
        }
      }),
      limit,
      ({ id }) => [id],
      (items) => ({ entries: items }),
    )
    return searchedTo === undefined
      ? page
      : {
          result: { ...page.result, searchedSince: searchedTo.at },
          next: { cursor: encodeCursor([searchedTo.id]) },
        }
  },
})

/** The operator's routes of moderation. */
export const operatorModerationRoutes = (context: OperatorContext): Route[] =>
  bind(context, [
    account,
    suspend,
    accountAction('restore'),
    accountAction('limit'),
    accountAction('unlimit'),
    accountAction('erase'),
    castAction('hide'),
    castAction('unhide'),
    unwarn,
    exportMessages,
    exportOwnRows,
    takeName,
    removeFile,
    removePoll,
    listReports,
    resolveReport,
    log,
    ...caseRoutes,
    ...heldRoutes,
    ...newcomerRoutes,
    ...noteRoutes,
    ...peopleRoutes,
    statisticsRoute,
  ])
