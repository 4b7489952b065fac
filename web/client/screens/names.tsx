import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { useApp } from '../api.ts'
import { NameChanges } from '../parts/name-changes.tsx'
import { QueryBox } from '../parts/query-box.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import type { NamesScreen } from '../types.ts'

export function Component() {
  const navigate = useNavigate()
  const open = (text: string) => {
    const name = text.replace(/^@/, '').toLowerCase()
    if (name !== '') navigate(`/name/${encodeURIComponent(name)}`)
  }
  return (
    <>
      <Title>{t('Names')}</Title>
      <header className="screen-head names-head">
        <h1>{t('Names')}</h1>
        <p className="muted">
          {t(
            'A name belongs to one account, and an account holds one name. Who holds which is in a public log that is signed.',
          )}
        </p>
        <QueryBox
          label={t('Look up a name')}
          value=""
          placeholder={t('Is it free?')}
          onSearch={open}
        />
      </header>
      <h2 className="part-head">{t('Newest changes')}</h2>
      <Newest />
    </>
  )
}

function Newest() {
  const { data, error, refetch } = useApp<NamesScreen>('/screen/names')
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what={t('Loading names')} />
  if (data.changes.length === 0) {
    return (
      <Empty icon="tag" heading={t('No name was registered here')}>
        <p>{t('This server may follow the registry of another one.')}</p>
      </Empty>
    )
  }
  return <NameChanges changes={data.changes} users={data.users} />
}
