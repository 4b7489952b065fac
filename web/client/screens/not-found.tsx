import { Link } from 'react-router'
import { words } from '../../shared/words.ts'
import { Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'

export function NotFound() {
  return (
    <>
      <Title>Not found</Title>
      <Shown isScreen icon="question" heading="There is no page at this address">
        <p>The link may be old, or part of it is missing.</p>
        <p>
          <Link to="/">Go to the newest {words.posts}</Link>
        </p>
      </Shown>
    </>
  )
}
