import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import {
  MAX_ANSWER_CHARACTERS,
  MAX_ANSWERS,
  MAX_POLL_SECONDS,
  MAX_QUESTION_CHARACTERS,
  MIN_ANSWERS,
} from '../../../src/features/polls/limits.ts'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { getTerms } from '../miniapps/calls.ts'
import { Field } from './field.tsx'
import { type PollDraft, repeatedAnswer } from './poll.ts'
import { Text } from './text-field.tsx'
import './poll-editor.css'

type Props = {
  poll: PollDraft
  change: (part: Partial<PollDraft>) => void
  remove: () => void
}

const ENDS = [
  [3_600, t('1 hour')],
  [86_400, t('1 day')],
  [259_200, t('3 days')],
  [604_800, t('1 week')],
  [MAX_POLL_SECONDS, t('30 days')],
] as const

/** The fields of a poll, within the composer. */
export default function PollEditor({ poll, change, remove }: Props) {
  const { question, answers, seconds } = poll
  const box = useRef<HTMLFieldSetElement>(null)
  const terms = useQuery({ queryKey: ['mini app host'], queryFn: getTerms, retry: false })
  useEffect(() => box.current?.querySelector('input')?.focus(), [])
  const repeated = repeatedAnswer(poll)
  const put = (i: number, text: string) => change({ answers: answers.with(i, text) })
  return (
    <fieldset ref={box} className="poll-editor">
      <legend className="unseen">{t('Poll')}</legend>
      {terms.data?.mode === 'off' && <Notice tone="warn">{t('This server has no polls.')}</Notice>}
      <Text
        label={t('Question')}
        help=""
        value={question}
        maxLength={MAX_QUESTION_CHARACTERS}
        onChange={(text) => change({ question: text })}
      />
      {answers.map((answer, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place
        <div key={i} className="poll-answer">
          <Text
            label={t('Answer {i}', { i: i + 1 })}
            help={i === repeated ? t('This answer is there already.') : ''}
            isBad={i === repeated}
            value={answer}
            maxLength={MAX_ANSWER_CHARACTERS}
            onChange={(text) => put(i, text)}
          />
          {answers.length > MIN_ANSWERS && (
            <button
              type="button"
              className="icon-button"
              aria-label={t('Remove answer {i}', { i: i + 1 })}
              onClick={() => change({ answers: answers.toSpliced(i, 1) })}
            >
              <Icon name="cross" />
            </button>
          )}
        </div>
      ))}
      <div className="poll-foot">
        {answers.length < MAX_ANSWERS && (
          <button
            type="button"
            className="secondary"
            onClick={() => change({ answers: [...answers, ''] })}
          >
            {t('Add an answer')}
          </button>
        )}
        <Field label={t('Ends in')} help="">
          {(id) => (
            <select
              id={id}
              value={seconds}
              onChange={({ target }) => change({ seconds: Number(target.value) })}
            >
              {ENDS.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <button type="button" className="secondary" onClick={remove}>
          {t('Remove the poll')}
        </button>
      </div>
    </fieldset>
  )
}
