import type { Say } from '../../kernel/http/translator.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { SayToAccounts } from '../languages/port.ts'
import type { OwnPage, OwnSnaps } from '../snaps/port.ts'
import { aboutOf, inputOf, type PollView, pollPage, VIEWS } from './page.ts'
import { getShownPoll, isOpen, type PollContext, pollAt, vote } from './polls.ts'
import { type Poll, pollRows } from './tables/polls.ts'

// The snaps at the addresses of polls. This server reads and presses them without a connection to itself.

/** An address of a poll: which one, and what of it. */
type Address = { readonly id: string; readonly view: PollView | undefined }

export function ownSnaps(context: PollContext & { readonly sayTo: SayToAccounts }): OwnSnaps {
  const { storage, now, urlOf, sayTo } = context
  const addressOf = (url: URL): Address | undefined => {
    const id = pollAt(context, url)
    return id ? { id, view: viewOf(url.searchParams.get('view')) } : undefined
  }
  const shown = (
    poll: Poll,
    more: { say: Say; view?: PollView | undefined; own?: number | undefined },
  ) => pollPage({ poll, url: urlOf(poll.id), now: now(), ...more })
  return {
    isOwn: (url) => addressOf(url) !== undefined,
    async pagesAt(urls, sayLater) {
      const addresses = urls.flatMap((url) => {
        const address = addressOf(url)
        return address ? [{ href: url.href, ...address }] : []
      })
      const ids = [...new Set(addresses.map(({ id }) => id))]
      const polls = await shownPolls(context, ids)
      if (polls.size === 0) return new Map()
      const say = await sayLater()
      const pages = addresses.flatMap(({ href, id, view }): [string, OwnPage][] => {
        const poll = polls.get(id)
        if (!poll) return []
        const description = aboutOf(say, poll, now())
        return [[href, { title: poll.question, description, page: shown(poll, { say, view }) }]]
      })
      return new Map(pages)
    },
    async answer(url, { method, fid, inputs }) {
      const { id, view } = addressOf(url)!
      const poll = await getShownPoll(storage, id)
      const isVote = method === 'POST' && isOpen(poll, now())
      const counted = isVote
        ? await vote(context, fid, { id, answer: answerIn(inputs, poll) })
        : poll
      const own = (await storage.of(pollRows).voteOf(id, fid))?.answer
      const say = (await sayTo(storage, [fid]))(fid)
      return shown(counted, { say, own, view: method === 'POST' ? 'results' : view })
    },
  }
}

const viewOf = (text: string | null): PollView | undefined => VIEWS.find((one) => one === text)

function answerIn(inputs: Readonly<Record<string, unknown>>, poll: Poll): string {
  const answer = inputs[inputOf(poll)]
  if (typeof answer === 'string') return answer
  throw new Rejection('bad_request.validation_failure', 'Choose one of the answers first.', {
    field: inputOf(poll),
  })
}

/** The polls with these ids that everybody may see. */
async function shownPolls(
  { storage }: PollContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Poll>> {
  if (ids.length === 0) return new Map()
  const polls = await storage.of(pollRows).findAll(ids)
  const hidden = await storage.moderation.hiddenAmong(polls.map(({ creator_fid }) => creator_fid))
  return new Map(
    polls.flatMap((poll) => (hidden.has(poll.creator_fid) ? [] : [[poll.id, poll] as const])),
  )
}
