package library

import "testing"

func TestEnvironments(t *testing.T) {
	for id, want := range map[string]Environment{
		"CartPole-v0":                         {Limit: 200, Ends: EndsFailed, Actions: 2},
		"CartPole-v1":                         {Limit: 500, Ends: EndsFailed, Actions: 2},
		"gym.envs:Pendulum-v0":                {Limit: 200, Ends: EndsByLimit},
		"phys2d/Pendulum-v0":                  {Limit: 200, Ends: EndsByLimit},
		"dm_control/walker-walk-v0":           {Limit: 1000, Ends: EndsByLimit},
		"HalfCheetah-v4":                      {Limit: 1000, Ends: EndsByLimit},
		"FetchPickAndPlaceDense-v3":           {Limit: 50, Ends: EndsByLimit},
		"HalfCheetahPyBulletEnv-v0":           {Limit: 1000, Ends: EndsByLimit},
		"InvertedPendulumBulletEnv-v0":        {Limit: 1000, Ends: EndsFailed},
		"InvertedPendulumSwingupBulletEnv-v0": {Limit: 1000, Ends: EndsByLimit},
		"ALE/Breakout-v5":                     {Actions: 4, Frames: [2]int64{4, 4}},
		"ALE/MarioBros-v5":                    {Frames: [2]int64{4, 4}},
		"PongNoFrameskip-v4":                  {Actions: 6, Frames: [2]int64{1, 1}},
		"PongDeterministic-v4":                {Actions: 6, Frames: [2]int64{3, 4}},
		"Pong-v0":                             {Actions: 6, Frames: [2]int64{2, 4}},
	} {
		got := Load().Environment(id)
		if got == nil || got.Limit != want.Limit || got.Ends != want.Ends || got.Actions != want.Actions || got.Frames != want.Frames {
			t.Errorf("%s is %+v, want %+v", id, got, want)
		}
	}
	for _, id := range []string{"CartPole-v7x", "CartPole", "Pong-v5", "MarioBros-v0", "MyPendulum-v0", "pong-v2"} {
		if got := Load().Environment(id); got != nil {
			t.Errorf("%s is known: %+v", id, got)
		}
	}
	for id, want := range map[string]float64{"Pendulum-v1": 2, "Humanoid-v5": 0.4, "Pusher-v5": 2, "FetchReach-v1": 1, "InvertedPendulum-v4": 3} {
		got := Load().Environment(id)
		if len(got.High) != 1 || got.High[0] != want || got.Low[0] != -want {
			t.Errorf("actions of %s go from %v to %v, want %g", id, got.Low, got.High, want)
		}
	}
}
