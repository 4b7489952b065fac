import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Busy, Notice } from '../../shared/page.tsx'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { dateText } from '../../shared/text.ts'
import { findFid } from '../act/account-calls.ts'
import {
  forgetRecovery,
  type KeptRecovery,
  keptRecovery,
  takeBack,
  wordsOf,
} from './kept-recovery.ts'
import { findRequest } from './recovery-terms.ts'
import { useEnter } from './use-enter.tsx'

export const KEPT_RECOVERY = ['kept recovery']
/** How often it is looked whether the account has come. */
const ASK_EVERY_MS = 30_000

/** The request that this browser has made; null: none. It is read anew on each screen, so that the page keeps no words that are gone. */
export const useKeptRecovery = () =>
  useQuery({ queryKey: KEPT_RECOVERY, queryFn: keptRecovery, staleTime: 0, gcTime: 0 })

/** What has become of a request for a lost account. */
export const useRecoveryState = (receiver: string, fid?: number) =>
  useQuery({
    queryKey: ['recovery request', receiver, fid],
    queryFn: async () => {
      const request = await findRequest(receiver, fid)
      return { request, isBack: !request && (await findFid(receiver)) !== undefined }
    },
    refetchInterval: ({ state }) => (state.data?.request ? ASK_EVERY_MS : false),
  })

/** Where one signs in: that this browser has asked for a lost account, and what can be done about it. */
export function WaitingRecovery() {
  const { data: kept } = useKeptRecovery()
  return kept ? <Kept kept={kept} /> : null
}

function Kept({ kept }: { kept: KeptRecovery }) {
  const { data, error } = useRecoveryState(kept.receiver, kept.fid)
  if (error) return <Notice tone="warn">{error.message}</Notice>
  if (!data) return null
  const who = <bdi>@{kept.name}</bdi>
  const { request, isBack } = data
  if (isBack) {
    return (
      <Notice tone="good">
        <p>{rich('You have {who} back: it belongs to your 12 new words now.', { who })}</p>
        <Finish kept={kept} />
        <p>
          {rich('Is this not your device, or have you signed in on another one? {forget}', {
            forget: <Forget />,
          })}
        </p>
      </Notice>
    )
  }
  if (!request) {
    return (
      <Notice tone="warn">
        <p>
          {rich(
            'You have asked for {who} on this device, and that has ended: it was refused, stopped by whoever has the account, or not decided for 30 days.',
            { who },
          )}
        </p>
        <p className="buttons">
          <Link to="/join/recover" className="secondary">
            {t('Ask again')}
          </Link>
          <Forget />
        </p>
      </Notice>
    )
  }
  const { movesAt } = request
  return (
    <Notice tone="plain">
      <p>
        {rich('You have asked for {who} on this device.', { who })}{' '}
        {movesAt === null
          ? t('Nobody has decided about it yet.')
          : t(
              'It waits until {date}: then the account belongs to your 12 new words, and what opened it before opens nothing.',
              { date: dateText(movesAt) },
            )}{' '}
        {movesAt !== null &&
          (kept.words
            ? t('Come back here, and one press signs you in.')
            : t('Come back with the words.'))}
      </p>
      <p className="buttons">
        <Link to={`/join/recover?request=${kept.receiver}`} className="secondary">
          {t('See how it goes')}
        </Link>
        <Stop kept={kept} />
      </p>
    </Notice>
  )
}

/** Signs in with the words that this browser keeps; where it does not, they are typed. */
export function Finish({ kept }: { kept: KeptRecovery }) {
  const { enter, waits } = useEnter()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  if (!kept.words) return <p>{t('Type them under “12 words”.')}</p>
  const finish = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const words = await wordsOf(kept)
      if (!words) throw new Error(t('This browser has lost the words: type them under “12 words”.'))
      await enter(words, '/account?recovered')
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <>
      {waits}
      {isBusy && !waits && <Busy>{t('One moment …')}</Busy>}
      {problem && <p role="alert">{problem}</p>}
      <p className="buttons">
        <button type="button" className="primary" disabled={isBusy} onClick={finish}>
          {t('Sign in')}
        </button>
      </p>
    </>
  )
}

function useForget() {
  const queries = useQueryClient()
  return async () => {
    await forgetRecovery()
    queries.setQueryData(KEPT_RECOVERY, null)
  }
}

function Forget() {
  const forget = useForget()
  return (
    <button type="button" className="link" onClick={forget}>
      {t('Forget it here')}
    </button>
  )
}

/** Takes it back with the words that this browser keeps. */
export function Stop({ kept }: { kept: KeptRecovery }) {
  const forget = useForget()
  const queries = useQueryClient()
  const [problem, setProblem] = useState<string>()
  if (!kept.words) return <Forget />
  const stop = async () => {
    setProblem(undefined)
    try {
      const words = await wordsOf(kept)
      if (words) await takeBack(kept, words)
      await forget()
    } catch (error) {
      // It has ended meanwhile.
      if (error instanceof Refusal && error.status === 404) await forget()
      else setProblem((error as Error).message)
    }
    await queries.invalidateQueries({ queryKey: ['recovery request', kept.receiver] })
  }
  return (
    <>
      <button type="button" className="link" onClick={stop}>
        {t('Stop it')}
      </button>
      {problem && <span role="alert">{problem}</span>}
    </>
  )
}
