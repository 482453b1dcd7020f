import { Json } from '../../kit/code.tsx';
import common from '../../kit/common.module.css';
import { Fold } from '../../kit/fold.tsx';
import { LimitedList } from '../../kit/limited-list.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Section } from '../../kit/page.tsx';
import { Glyph, StateMark } from '../../kit/state.tsx';
import { type Column, Table } from '../../kit/table.tsx';
import { checklistOf, countByStatus, decides, type Group, seenIn } from './checklist.ts';
import {
  type Finding,
  inputText,
  lanes,
  marks,
  type Report,
  seenOn,
  stages,
  verdicts,
  weights,
} from './labels.ts';
import css from './readiness.module.css';

type Coverage = Report['lanes'][number];

export function ReadinessReport({ report }: { report: Report }) {
  const groups = checklistOf(report);
  const statuses = new Map(report.lanes.map(({ lane, status }) => [lane, status]));
  return (
    <>
      <ReportSummary report={report} />
      <Table
        label="Lanes"
        columns={laneColumns}
        rows={report.lanes.filter(({ lane }) => groups.some((one) => one.lane === lane))}
        keyOf={({ lane }) => lane}
      />
      {groups.map((group) => (
        <Section
          key={group.lane}
          title={lanes[group.lane]}
          actions={<VerdictMark verdict={statuses.get(group.lane) ?? 'incomplete'} />}
        >
          <Rules group={group} />
        </Section>
      ))}
    </>
  );
}

function ReportSummary({ report: { overallStatus, findings, stages: parts } }: { report: Report }) {
  const { broken, open, met } = countByStatus(findings);
  const all = counted(broken + open + met, 'blocking rule', 'blocking rules');
  return (
    <div className={css.sentence}>
      <p>
        <strong>
          {overallStatus === 'ready'
            ? `No blockers: all of ${all} passed.`
            : `Of ${all}, ${count(broken)} ${broken === 1 ? 'is' : 'are'} broken and ${count(open)} could not be checked.`}
        </strong>
      </p>
      <p className={css.stages}>
        {parts.map(({ stage, status }) => (
          <span key={stage}>
            {stages[stage]}: <VerdictMark verdict={status} />
          </span>
        ))}
      </p>
    </div>
  );
}

function VerdictMark({ verdict }: { verdict: Coverage['status'] }) {
  const { state, word } = verdicts[verdict];
  return <StateMark state={state}>{word}</StateMark>;
}

const laneColumns: Column<Coverage>[] = [
  { name: 'Lane', main: true, cell: ({ lane }) => lanes[lane] },
  { name: 'Status', cell: ({ status }) => <VerdictMark verdict={status} /> },
  { name: 'Checked', figure: true, cell: ({ evaluated }) => count(evaluated) },
  { name: 'Not checked', figure: true, cell: ({ notEvaluated }) => count(notEvaluated) },
  { name: 'Does not apply', figure: true, cell: ({ notApplicable }) => count(notApplicable) },
  {
    name: 'Missing',
    cell: ({ missingInputs }) =>
      missingInputs.length > 0 && (
        <span className={common.softText}>{missingInputs.map(inputText).join(', ')}</span>
      ),
  },
];

function Rules({ group: { lane, open, satisfied, notApplicable } }: { group: Group }) {
  return (
    <>
      {open.length > 0 && <RuleList label={`${lanes[lane]}: open`} findings={open} />}
      {satisfied.length > 0 && (
        <Fold
          className={css.folded}
          summary={<StateMark state="passed">{counted(satisfied.length, 'rule')} met</StateMark>}
        >
          {() => <RuleList label={`${lanes[lane]}: met`} findings={satisfied} />}
        </Fold>
      )}
      {notApplicable.length > 0 && (
        <Fold
          className={css.folded}
          summary={
            <StateMark state="skipped">
              {counted(notApplicable.length, 'rule does not apply', 'rules do not apply')}
            </StateMark>
          }
        >
          {() => <RuleList label={`${lanes[lane]}: does not apply`} findings={notApplicable} />}
        </Fold>
      )}
    </>
  );
}

function RuleList({ label, findings }: { label: string; findings: Finding[] }) {
  return (
    <ul className={common.boxedList} aria-label={label}>
      <LimitedList items={findings} noun="rule" rest="li">
        {(finding) => <Rule key={finding.id} finding={finding} />}
      </LimitedList>
    </ul>
  );
}

function Rule({ finding }: { finding: Finding }) {
  const { title, status, source, remediation, missingInputs = [], notEvaluatedReason } = finding;
  const { state, word } = marks[status];
  const { problem, items, rest } = seenIn(finding);
  const asks = status === 'violated' || status === 'not-evaluated' || status === 'informational';
  return (
    <li className={css.rule}>
      <Glyph state={state} size={16} label={word} />
      <div className={css.words}>
        <p className={css.title}>
          <strong dir="auto">{title}</strong>{' '}
          <span className={decides(finding) ? css.deciding : common.softSmall}>{weights[finding.class]}</span>
        </p>
        {problem !== undefined && <LongText text={problem} first={500} />}
        {items.length > 0 && <Items items={items} />}
        {status === 'not-evaluated' && notEvaluatedReason !== undefined && (
          <LongText text={notEvaluatedReason} first={500} />
        )}
        {missingInputs.length > 0 && <p>Needs {missingInputs.map(inputText).join(', ')}.</p>}
        {asks && remediation !== undefined && (
          <div className={css.remedy}>
            <LongText text={remediation} first={600} />
          </div>
        )}
        <p className={common.source}>
          <span>
            {source.page}, {source.section}, as of {source.policySnapshotDate}
          </span>
          <span>{seenOn[finding.provenance]}</span>
          <code>{finding.id}</code>
        </p>
        {rest && (
          <Fold summary="Evidence" className={css.evidence}>
            {() => <Json value={rest} label={`evidence for ${finding.id}`} />}
          </Fold>
        )}
      </div>
    </li>
  );
}

/** Untrusted text from the server. */
function Items({ items }: { items: string[] }) {
  return (
    <ul className={css.items}>
      <LimitedList items={items} noun="item" rest="li">
        {(item, at) => (
          <li key={at}>
            <code dir="auto">{item.slice(0, 300)}</code>
          </li>
        )}
      </LimitedList>
    </ul>
  );
}
