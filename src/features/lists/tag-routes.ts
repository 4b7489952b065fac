import Type from 'typebox'
import { invalidField, SUCCESS, SuccessReply } from '../../kernel/app-api/bodies.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { ONE_TAG } from '../../kernel/views/tags.ts'
import { MAX_WORD_LENGTH, tagToken } from '../../kernel/views/words.ts'
import { MAX_TAGS } from './limits.ts'
import { errors, LISTS, type Needs } from './needs.ts'
import { listRows } from './tables/lists.ts'

const PATH = '/v2/farcaster/tag/own'

const TagBody = Type.Object({
  tag: Type.String({
    minLength: 1,
    maxLength: MAX_WORD_LENGTH,
    description: 'With or without its sign.',
  }),
})
const TagsReply = Type.Object({
  tags: Type.Array(Type.String(), {
    description: 'Without their signs, the one that was followed first comes first.',
  }),
})

export const tagRoutes = (context: Needs): Route[] => bind(context, [ownTags, addTag, removeTag])

const ownTags = route(`GET ${PATH}`, {
  callers: 'user of an app',
  summary: 'The tags that the user follows',
  description: 'Of the user of the bearer token.',
  tags: LISTS,
  reply: TagsReply,
  errors,
  cost: { cpu: 'small', rows: MAX_TAGS },
  handler: async ({ storage, platform }: Needs, { request }) => {
    const { fid } = await platform.actorOf(request)
    return { tags: (await storage.of(listRows).tags(fid)).map(({ tag }) => tag) }
  },
})

const addTag = route(`POST ${PATH}`, {
  callers: 'user of an app',
  summary: 'Follow a tag',
  description: `For the user of the bearer token, who may follow ${MAX_TAGS}. Doing it once more, in whatever case, changes nothing.`,
  tags: LISTS,
  body: json(TagBody),
  reply: SuccessReply,
  errors: [...errors, 'bad_request.conflict'],
  cost: { cpu: 'small', rows: MAX_TAGS, writes: 1 },
  handler: async ({ storage, platform, nowMs }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    const tag = tagIn(body.tag)
    await storage.write(`fid/${fid}`, async (tx) => {
      const rows = tx.of(listRows)
      await rows.addTag({ fid, folded: tagToken(tag), tag, followed_at: nowMs() })
      if ((await rows.tagCount(fid)) > MAX_TAGS) {
        throw new Rejection('bad_request.conflict', `you follow ${MAX_TAGS} tags already`)
      }
    })
    return SUCCESS
  },
})

const removeTag = route(`DELETE ${PATH}`, {
  callers: 'user of an app',
  summary: 'Follow a tag no longer',
  description: 'For the user of the bearer token. A tag that is not followed changes nothing.',
  tags: LISTS,
  body: json(TagBody),
  reply: SuccessReply,
  errors,
  cost: { cpu: 'small', writes: 1 },
  handler: async ({ storage, platform }: Needs, { body, request }) => {
    const { fid } = await platform.actorOf(request)
    const folded = tagToken(tagIn(body.tag))
    await storage.write(`fid/${fid}`, (tx) => tx.of(listRows).removeTag(fid, folded))
    return SUCCESS
  },
})

/** A tag without its sign. Throws a Rejection for a text that is none. */
function tagIn(text: string): string {
  const tag = text.replace(/^#/, '')
  if (ONE_TAG.test(`#${tag}`)) return tag
  throw invalidField('tag', 'must be letters and digits, one of them a letter')
}
