import { type FormEvent, useId, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanName } from '../../shared/text.ts'
import { handleOf, PersonRow } from '../parts/person.tsx'
import { findUsers, PersonPicker } from '../parts/person-picker.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useConfirm } from '../parts/use-confirm.ts'
import { searchPath } from '../search/filters.ts'
import { useSession } from '../session/session.tsx'
import { useOwnLists } from './calls.ts'
import {
  listChange,
  newList,
  removedList,
  renamedList,
  tagChange,
  useListChange,
  useListMembers,
} from './own-lists.ts'

const MAX_NAME_CHARACTERS = 40

/** `/lists`, and `/lists/abc` for the people on one. */
export function Component() {
  const { id } = useParams()
  const { fid } = useSession()
  if (fid === undefined) {
    return (
      <Shown isScreen icon="person" heading={t('Sign in to see your lists')}>
        <Link className="primary button" to="/join?back=%2Flists">
          {t('Join or sign in')}
        </Link>
      </Shown>
    )
  }
  return id === undefined ? <Lists /> : <OneList key={id} id={id} />
}

function Lists() {
  const own = useOwnLists()
  const change = useListChange()
  if (own.isPending) return <Loading isScreen what={t('Loading your lists')} />
  if (!own.data) return <Failed isScreen error={own.error} retry={own.refetch} />
  const { lists, tags } = own.data
  return (
    <div className="form-screen">
      <Title>{t('Lists and tags')}</Title>
      <h1>{t('Lists and tags')}</h1>
      <p className="muted">
        {t('Each list and your tags are tabs of Home. Nobody else can see them.')}
      </p>
      <h2 id="lists">{t('Lists of people')}</h2>
      <ul className="kept" aria-labelledby="lists">
        {lists.map(({ id, name, member_count }) => (
          <li key={id}>
            <Link to={`/lists/${id}`}>
              <bdi>{cleanName(name)}</bdi>
            </Link>
            <span className="muted">
              {t('{people, plural, one {# person} other {# people}}', { people: member_count })}
            </span>
          </li>
        ))}
      </ul>
      <NameForm
        label={t('Name of a new list')}
        text={t('Make the list')}
        send={(name) => change(newList(name), t('The list was not made.'))}
      />
      <h2 id="tags">{t('Tags')}</h2>
      {tags.length === 0 && (
        <p className="muted">
          {rich('You follow no tags. <link>Explore</link> has those that are used now.', {
            link: (inner) => <Link to="/search">{inner}</Link>,
          })}
        </p>
      )}
      <ul className="kept" aria-labelledby="tags">
        {tags.map((tag) => (
          <li key={tag}>
            <Link to={searchPath(`#${tag}`)}>
              <bdi>#{cleanName(tag)}</bdi>
            </Link>
            <button
              type="button"
              className="secondary"
              onClick={() => change(tagChange(tag, false), t('You still follow #{tag}.', { tag }))}
            >
              {rich('Unfollow {name}', { name: <bdi className="unseen">#{cleanName(tag)}</bdi> })}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function NameForm({
  label,
  text,
  value = '',
  send,
}: {
  label: string
  text: string
  value?: string
  send: (name: string) => Promise<boolean>
}) {
  const id = useId()
  const [name, setName] = useState(value)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    if (await send(name.trim())) setName(value === '' ? '' : name.trim())
    setBusy(false)
  }
  return (
    <form className="fields" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <input
          id={id}
          value={name}
          maxLength={MAX_NAME_CHARACTERS}
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <button
        type="submit"
        className="secondary"
        disabled={isBusy || cleanName(name) === '' || name.trim() === value}
      >
        {text}
      </button>
    </form>
  )
}

function OneList({ id }: { id: string }) {
  const asked = useListMembers(id)
  const change = useListChange()
  const navigate = useNavigate()
  const remove = async () => {
    if (await change(removedList(id), t('The list is still there.'))) navigate('/lists')
  }
  const { isAsked, buttonProps } = useConfirm(remove)
  if (asked.isPending) return <Loading isScreen what={t('Loading the list')} />
  if (!asked.data) return <Failed isScreen error={asked.error} retry={asked.refetch} />
  const { list, users, hidden_fids } = asked.data
  const put = (fid: number, who: string, isOn: boolean) =>
    change(
      listChange(id, fid, isOn),
      isOn ? t('{who} is not on the list.', { who }) : t('{who} is still on the list.', { who }),
    )
  return (
    <>
      <Title>{cleanName(list.name)}</Title>
      <div className="form-screen">
        <h1>
          <bdi>{cleanName(list.name)}</bdi>
        </h1>
        <p>
          <Link to={`/?feed=list-${id}`}>{t('Read what they write')}</Link> ·{' '}
          <Link to="/lists">{t('All lists')}</Link>
        </p>
        <PersonPicker
          label={t('Add somebody')}
          help={t('Type a name. Their {posts} are in the tab of this list; nobody is told.')}
          without={[...users.map(({ fid }) => fid), ...hidden_fids]}
          find={findUsers}
          choose={(user) => put(user.fid, handleOf(user), true)}
        />
      </div>
      {users.map((user) => (
        <PersonRow
          key={user.fid}
          user={user}
          end={
            <RemoveButton
              who={handleOf(user)}
              remove={() => put(user.fid, handleOf(user), false)}
            />
          }
        />
      ))}
      {hidden_fids.map((fid) => {
        const who = handleOf({ fid })
        return (
          <article key={fid} className="row">
            <p className="row-text muted">{t('{who}, who is not shown', { who })}</p>
            <RemoveButton who={who} remove={() => put(fid, who, false)} />
          </article>
        )
      })}
      <div className="form-screen">
        <NameForm
          key={list.name}
          label={t('Name of the list')}
          text={t('Rename')}
          value={list.name}
          send={(name) => change(renamedList(id, name), t('The list keeps its name.'))}
        />
        <button type="button" className={isAsked ? 'danger' : 'secondary'} {...buttonProps}>
          {isAsked ? t('Delete the list now') : t('Delete the list …')}
        </button>
      </div>
    </>
  )
}

const RemoveButton = ({ who, remove }: { who: string; remove: () => void }) => (
  <button type="button" className="secondary" onClick={remove}>
    {rich('Remove {who}', { who: <span className="unseen">{who}</span> })}
  </button>
)
