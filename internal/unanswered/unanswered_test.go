package unanswered_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/rlvet/rlvet/internal/unanswered"
)

// TestWait: it ends with the last answer, when there is no more to wait for, or when it takes too long.
func TestWait(t *testing.T) {
	for name, c := range map[string]struct {
		answer []string
		over   bool
		want   time.Duration
	}{
		"all are answered": {[]string{"a", "b"}, false, 2 * time.Second},
		"one is not":       {[]string{"b"}, false, time.Minute},
		"over":             {[]string{"b"}, true, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, over := unanswered.New(), make(chan struct{})
				r.Asked("a")
				r.Asked("b")
				go func() {
					for _, id := range c.answer {
						time.Sleep(time.Second)
						r.Answered(id)
					}
					if c.over {
						time.Sleep(2 * time.Second)
						close(over)
					}
				}()
				began := time.Now()
				r.Wait(over, time.Minute)
				if got := time.Since(began); got != c.want {
					t.Errorf("it waited %v, not %v", got, c.want)
				}
			})
		})
	}
}
