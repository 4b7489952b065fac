import { useNavigate } from 'react-router'
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
      <Title>Names</Title>
      <header className="screen-head names-head">
        <h1>Names</h1>
        <p className="muted">
          A name belongs to one account, and an account holds one name. Who holds which is in a
          public log that is signed.
        </p>
        <QueryBox label="Look up a name" value="" placeholder="Is it free?" onSearch={open} />
      </header>
      <h2 className="part-head">Newest changes</h2>
      <Newest />
    </>
  )
}

function Newest() {
  const { data, error, refetch } = useApp<NamesScreen>('/screen/names')
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what="Loading names" />
  if (data.changes.length === 0) {
    return (
      <Empty icon="tag" heading="No name was registered here">
        <p>This server may follow the registry of another one.</p>
      </Empty>
    )
  }
  return <NameChanges changes={data.changes} users={data.users} />
}
