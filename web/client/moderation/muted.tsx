import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { useAct } from '../act/actor.ts'
import { setOverride } from '../act/overrides.ts'
import { block } from '../act/writes.ts'
import { useApp } from '../api.ts'
import { Byline, handleOf, Portrait } from '../parts/person.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { User } from '../types.ts'
import { type MuteTarget, setMuted, useOwnMutes } from './own.ts'

/** What one has muted and blocked, with the way back. */
export function Component() {
  const { fid } = useSession()
  return (
    <>
      <Title>{t('Muted and blocked')}</Title>
      {fid === undefined ? (
        <Shown isScreen icon="person" heading={t('Sign in to see what you mute')}>
          <p>
            <Link to="/join">{t('Join or sign in')}</Link>
          </p>
        </Shown>
      ) : (
        <Lists fid={fid} />
      )}
    </>
  )
}

function Lists({ fid }: { fid: number }) {
  const mutes = useOwnMutes()
  const blocks = useApp<{ blocks: { blocked?: User }[] }>('/block/list', {
    blocker_fid: fid,
    limit: 100,
  })
  if (mutes.error) return <Failed isScreen error={mutes.error} retry={mutes.refetch} />
  if (!mutes.data) return <Loading isScreen what={t('Loading what you mute')} />
  const { mutes: people, channels, words: mutedWords } = mutes.data
  const blocked = (blocks.data?.blocks ?? []).flatMap(({ blocked }) => blocked ?? [])
  return (
    <div className="form-screen">
      <h1>{t('Muted and blocked')}</h1>
      <p className="muted">
        {t(
          'What you mute is left out of your feeds, search and notifications in every app. Nobody is told.',
        )}
      </p>
      <h2 id="muted-words">{t('Muted words')}</h2>
      <AddWord />
      <Items
        labelledBy="muted-words"
        none={t('You mute no words.')}
        items={mutedWords.map(({ word }) => ({
          key: word,
          target: { word },
          shown: <bdi>{word}</bdi>,
        }))}
      />
      <h2 id="muted-people">{t('Muted people')}</h2>
      <Items
        labelledBy="muted-people"
        none={t('You mute nobody. The menu of {aPost} or a profile has “Mute”.')}
        items={people.map(({ muted }) => ({
          key: muted.fid,
          target: { fid: muted.fid },
          shown: <Person user={muted} />,
        }))}
      />
      <h2 id="muted-channels">{t('Muted channels')}</h2>
      <Items
        labelledBy="muted-channels"
        none={t('You mute no channels.')}
        items={channels.map(({ id }) => ({
          key: id,
          target: { channel_id: id },
          shown: (
            <Link to={`/channel/${encodeURIComponent(id)}`}>
              <bdi>/{id}</bdi>
            </Link>
          ),
        }))}
      />
      <h2 id="blocked-people">{t('Blocked people')}</h2>
      <p className="muted">
        {t(
          'Blocked people cannot reply to you, mention or quote you. Everybody can see whom you block.',
        )}
      </p>
      {blocked.length === 0 && <p className="muted">{t('You block nobody.')}</p>}
      <ul className="kept" aria-labelledby="blocked-people">
        {blocked.map((user) => (
          <li key={user.fid}>
            <Person user={user} />
            <Unblock user={user} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const Person = ({ user }: { user: User }) => (
  <span className="kept-person">
    <Portrait user={user} size="s" />
    <Byline user={user} />
  </span>
)

function Unblock({ user }: { user: User }) {
  const act = useAct()
  const queries = useQueryClient()
  const end = () =>
    act(
      async (key) => {
        await block(key, user.fid, false)
        setOverride(`block ${user.fid}`, false)
        await queries.invalidateQueries({ queryKey: ['/block/list'] })
      },
      { failed: t('You still block {who}.', { who: handleOf(user) }) },
    )
  return (
    <button type="button" className="secondary" onClick={end}>
      {t('Unblock {who}', { who: handleOf(user) })}
    </button>
  )
}

type Item = { key: string | number; target: MuteTarget; shown: React.ReactNode }

type ItemsProps = { labelledBy: string; none: string; items: readonly Item[] }

function Items({ labelledBy, none, items }: ItemsProps) {
  const change = useChange()
  if (items.length === 0) return <p className="muted">{none}</p>
  return (
    <ul className="kept" aria-labelledby={labelledBy}>
      {items.map(({ key, target, shown }) => (
        <li key={key}>
          {shown}
          <button type="button" className="secondary" onClick={() => change(target, false)}>
            {rich('Unmute {values}', {
              values: <span className="unseen">{Object.values(target)[0]}</span>,
            })}
          </button>
        </li>
      ))}
    </ul>
  )
}

function useChange() {
  const act = useAct()
  const queries = useQueryClient()
  return (target: MuteTarget, isOn: boolean) =>
    act(
      async (key) => {
        await setMuted(key, target, isOn)
        const [kind, value] = Object.entries(target)[0]!
        setOverride(`mute ${kind} ${value}`, isOn)
        // Every list may change.
        await queries.invalidateQueries()
      },
      { failed: isOn ? t('It is not muted.') : t('It is still muted.') },
    )
}

function AddWord() {
  const change = useChange()
  const [word, setWord] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await change({ word: word.trim() }, true)) setWord('')
  }
  return (
    <form className="one-line" onSubmit={submit}>
      <label className="grow">
        <span className="unseen">{t('A word or words to mute')}</span>
        <input
          required
          maxLength={100}
          value={word}
          placeholder={t('A word or words')}
          autoComplete="off"
          onChange={({ target }) => setWord(target.value)}
        />
      </label>
      <button type="submit" className="primary">
        {t('Mute')}
      </button>
    </form>
  )
}
