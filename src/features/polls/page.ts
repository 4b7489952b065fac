import { localeOf, type Say } from '../../kernel/http/translator.ts'
import type { SnapElement } from '../snaps/port.ts'
import { answersOf, type Poll, votesIn } from './tables/polls.ts'

// The pages of a poll, in the format of snaps: one to vote on, and one with the result.

export const VIEWS = ['vote', 'results'] as const
export type PollView = (typeof VIEWS)[number]

export type Shown = {
  readonly say: Say
  readonly poll: Poll
  /** Where the poll is. */
  readonly url: string
  /** Unix seconds. */
  readonly now: number
  /** What the viewer chose, where it is known who looks: the place of the answer, from 1. */
  readonly own?: number | undefined
  /** What was asked for; otherwise the result is shown to those who have voted. */
  readonly view?: PollView | undefined
}

/** The input of a poll. It names the poll, so that what was signed for one is no vote in another. */
export const inputOf = ({ id }: Pick<Poll, 'id'>): string => `answer-${id}`

export function pollPage({ view, ...shown }: Shown): object {
  const { poll, now, own } = shown
  const hasEnded = now >= poll.ends_at
  const isResult = hasEnded || (view ? view === 'results' : own !== undefined)
  const elements = isResult ? resultOf(shown, hasEnded) : ballotOf(shown)
  return {
    version: '2.0',
    ui: {
      root: 'page',
      elements: {
        page: { type: 'stack', props: { gap: 'md' }, children: Object.keys(elements.shown) },
        ...elements.shown,
        ...elements.below,
      },
    },
  }
}

type Elements = {
  /** In their order. */
  readonly shown: Readonly<Record<string, SnapElement>>
  readonly below?: Readonly<Record<string, SnapElement>>
}

function ballotOf({ say, poll, url, now, own }: Shown): Elements {
  const options = answersOf(poll).map(({ text }) => text)
  const chosen = own === undefined ? undefined : options[own - 1]
  const name = inputOf(poll)
  return {
    shown: {
      question: questionOf(poll),
      choice: {
        type: 'toggle_group',
        props: {
          ...{ name, label: say('Your answer'), orientation: 'vertical', options },
          ...(chosen !== undefined && { defaultValue: chosen }),
        },
      },
      buttons: {
        type: 'stack',
        props: { direction: 'horizontal', gap: 'sm' },
        children: ['vote', 'results'],
      },
      about: small(aboutOf(say, poll, now)),
    },
    below: {
      vote: {
        type: 'button',
        props: { label: say('Vote'), variant: 'primary' },
        on: { press: { action: 'submit', params: { target: url } } },
      },
      results: openButton(say('Results'), `${url}?view=results`),
    },
  }
}

function resultOf({ say, poll, url, now, own }: Shown, hasEnded: boolean): Elements {
  const answers = answersOf(poll)
  const bars = answers.map(({ text, votes }) => ({ label: text, value: votes }))
  const chosen = own === undefined ? undefined : answers[own - 1]?.text
  const isFirst = own === undefined
  return {
    shown: {
      question: questionOf(poll),
      chart: { type: 'bar_chart', props: { bars, max: Math.max(1, votesIn(poll)) } },
      ...(chosen !== undefined && { own: small(say('Your vote: {answer}', { answer: chosen })) }),
      about: small(aboutOf(say, poll, now)),
      ...(!hasEnded && {
        change: openButton(isFirst ? say('Vote') : say('Change my vote'), `${url}?view=vote`),
      }),
    },
  }
}

const questionOf = ({ question }: Poll): SnapElement => ({
  type: 'text',
  props: { content: question, weight: 'bold' },
})

const small = (content: string): SnapElement => ({ type: 'text', props: { content, size: 'sm' } })

const openButton = (label: string, target: string): SnapElement => ({
  type: 'button',
  props: { label, variant: 'secondary' },
  on: { press: { action: 'open_snap', params: { target } } },
})

/** How many have voted, and until when one can. */
export function aboutOf(say: Say, poll: Poll, now: number): string {
  const votes = votesIn(poll)
  const end = new Intl.DateTimeFormat(localeOf(say.language), END).format(poll.ends_at * 1_000)
  return now < poll.ends_at
    ? say('{votes, plural, one {# vote} other {# votes}} · ends {end}', { votes, end })
    : say('Final result · {votes, plural, one {# vote} other {# votes}} · ended {end}', {
        votes,
        end,
      })
}
const END: Intl.DateTimeFormatOptions = {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' },
}
