// Package storetest holds the requirements of every engine of package store, as
// one suite of tests, and a Store with planted defects.
package storetest

import (
	"context"
	"testing"

	"platen/internal/store"
)

// A Reopener opens one storage, always the same. The store it returned before
// has been closed by then.
type Reopener func(ctx context.Context) (store.Store, error)

// Run checks each sentence of package store against an engine. fresh makes a
// storage that holds nothing; it is called many times.
func Run(t *testing.T, fresh func(t *testing.T) Reopener) {
	claims := []struct {
		name  string
		check func(*fixture)
	}{
		{"CommitIsReadBackAsItWas", commitIsReadBack},
		{"CommitThatIsNoSuccessorConflictsAndChangesNothing", wrongVersionConflicts},
		{"ConflictHarmsNobodyElse", conflictHarmsNobodyElse},
		{"ExactlyOneWriterWinsEachVersion", oneWriterWins},
		{"HeaderIsReplacedInTheSameStep", headerIsReplaced},
		{"ForeignHeaderIsRefused", foreignHeaderIsRefused},
		{"EmptyAndLargeBodiesAreKept", bodiesOfAnySize},
		{"BodyOverTheLimitIsRefused", oversizedBodyIsRefused},
		{"OddIDsAreKeptApart", oddIDs},
		{"CommitsReadsTheRangeAskedFor", commitRange},
		{"CommitsReturnsAtMostMaxCommits", commitLimit},
		{"UnknownSandboxIsNotFound", unknownSandbox},

		{"KeysFindTheirSandbox", keysFindSandbox},
		{"RevokedKeyIsNeverFound", revokedKey},
		{"KeyOfAnotherSandboxConflicts", takenKey},
		{"DueIsOrderedAndLimited", dueOrder},
		{"TimesAreKeptToTheMicrosecond", timesKept},
		{"CountFollowsCreationAndDeletion", countFollows},

		{"LoadIsSnapshotAndLaterCommits", loadAfterSnapshot},
		{"LoadIsConsistentWhileWritersWrite", loadIsConsistent},
		{"OlderSnapshotChangesNothing", olderSnapshot},
		{"SnapshotNeedsItsCommit", snapshotNeedsCommit},

		{"DeletedSandboxIsGoneAtOnce", deletedIsGone},
		{"DeletedSandboxIsNotResurrected", noResurrection},
		{"DeletionHarmsNobodyElse", deletionHarmsNobodyElse},

		{"ForkBeginsWithTheCommitsOfItsParent", forkBegins},
		{"ForkThatIsImpossibleConflictsAndLeavesNothing", impossibleForks},
		{"ForkOfALongParentIsWhole", longForks},
		{"ForkAndParentShareNothing", forksShareNothing},
		{"ForkIsThereOrNotWhileItsParentIsDeleted", forkOfTheDeleted},

		{"RecordsAreFoundByTheirNames", recordsAreFound},
		{"RulesOfRecordsAreKept", rulesAreKept},
		{"RecordsOfACommitAreOfItsStep", recordsOfACommit},
		{"OneOfManyTakesARecord", oneTakes},
		{"EndedRecordsAreCleared", endedAreCleared},
		{"WritesThatNameARecordTwiceAreRefused", impossibleWrites},

		{"ReopeningKeepsEverything", reopenKeeps},
		{"EndedContextChangesNothing", endedContext},
		{"CancelledCommitIsThereOrNot", cancelledCommits},
		{"ClosedStoreRefusesWork", closedRefuses},
		{"CloseFinishesWritesUnderWay", closeFinishes},
		{"CloseIsIdempotent", closeTwice},
		{"PingAnswers", pingAnswers},
	}
	for _, claim := range claims {
		t.Run(claim.name, func(t *testing.T) {
			t.Parallel()
			claim.check(newFixture(t, fresh(t)))
		})
	}
	t.Run("CloseLeavesNoGoroutine", func(t *testing.T) {
		t.Parallel()
		closeLeavesNothing(t, fresh(t))
	})
	t.Run("RandomStepsAgreeWithTheModel", func(t *testing.T) {
		t.Parallel()
		checkModel(t, fresh)
	})
}
