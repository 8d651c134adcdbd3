export interface FeedbackTables {
  /** `explanation` is the document of that moment as JSON; `decided_at` is null while the report is open. */
  feedback: {
    id: string;
    at: number;
    account: string | null;
    ip: string;
    verdict: string;
    risk_type: string | null;
    comment: string | null;
    explanation: string;
    outcome: string;
    decided_at: number | null;
  };
}
